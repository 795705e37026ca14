/// A program that the tests need does not work or is not installed.
package struct MissingTool: Error, CustomStringConvertible {
    /// The failed program, its reason and the advice to install it.
    package var description: String

    /// Creates the error for a program that failed for `reason`.
    package init(_ command: String, _ reason: String) {
        description = "`\(command)` failed; does `make setup` help? \(reason)"
    }
}
