/// A place in a job file, for reports and failures.
package struct SourceLocation: Sendable, Hashable {
    /// The file's name as given on the command line.
    package var file: String
    /// 1-based.
    package var line: Int
    /// 1-based, in Unicode scalars.
    package var column: Int

    /// Creates a place; `line` and `column` count from 1.
    package init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }
}
