/// A place in a job file, for reports and failures.
package struct SourceLocation: Sendable, Hashable {
    /// The file's name as given on the command line, or that of an included file.
    package var file: String
    /// 1-based.
    package var line: Int
    /// 1-based, in Unicode scalars.
    package var column: Int
    /// Whether the file is one that the job file includes.
    package var isIncluded: Bool

    /// Creates a place; `line` and `column` count from 1.
    package init(file: String, line: Int, column: Int, isIncluded: Bool = false) {
        self.file = file
        self.line = line
        self.column = column
        self.isIncluded = isIncluded
    }
}
