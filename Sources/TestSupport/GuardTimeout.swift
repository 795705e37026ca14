/// Something did not happen within the time that guards a test against hanging for ever.
package struct GuardTimeout: Error, CustomStringConvertible {
    /// What was waited for.
    package var description: String

    package init(_ description: String) {
        self.description = "waited in vain for \(description)"
    }
}
