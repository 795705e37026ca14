/// A program that serves the URLs of a custom scheme, an entry of `protocolClasses`.
package struct ProtocolProgram: Sendable, Hashable {
    /// In lower case, such as `notes`.
    package var scheme: String
    /// The program, as a path relative to `folder` or a name to look up in `PATH`; then its
    /// arguments.
    package var command: [String]
    /// The absolute path of the program's working folder, the folder of the job file.
    package var folder: String
    /// The environment variables that the program does not inherit, because they hold secrets.
    package var withheldVariables: Set<String>

    /// Creates an entry.
    package init(
        scheme: String,
        command: [String],
        folder: String,
        withheldVariables: Set<String>
    ) {
        self.scheme = scheme
        self.command = command
        self.folder = folder
        self.withheldVariables = withheldVariables
    }
}
