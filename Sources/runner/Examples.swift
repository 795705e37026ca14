/// A command line for the help of a command.
struct Example {
    /// The purpose of the command line, in the reader's words.
    var purpose: String
    var commandLine: String

    /// Creates an example.
    init(_ purpose: String, _ commandLine: String) {
        self.purpose = purpose
        self.commandLine = commandLine
    }
}

/// The examples of a command's help.
enum Examples {
    /// The line before the examples, by which the manual pages find them.
    static let title = "EXAMPLES:"

    /// The text of a command's help, with examples below it.
    ///
    /// Each purpose is a comment, so that a reader can paste all lines into a shell.
    static func discussion(_ text: String, _ examples: Example...) -> String {
        let lines = examples.map { "  # \($0.purpose)\n  \($0.commandLine)" }
        return ([text, ([title] + lines).joined(separator: "\n")].filter { !$0.isEmpty })
            .joined(separator: "\n\n")
    }
}
