/// An expected event did not happen within the time that keeps a test from hanging.
package struct GuardTimeout: Error, CustomStringConvertible {
    /// The missing event.
    package var description: String

    /// Creates the error for a missing event, such as `a gate to open`.
    package init(_ description: String) {
        self.description = "waited in vain for \(description)"
    }
}
