/// A program that the tests need does not work or is not installed.
package struct MissingTool: Error, CustomStringConvertible {
    package var description: String

    package init(_ command: String, _ reason: String) {
        description = "`\(command)` failed; does `make setup` help? \(reason)"
    }
}
