/// The names of the program and of the command that starts a run.
///
/// Subcommands name their parent by these: deriving names from types would use reflection at every
/// start, and the root command's type would depend on all subcommands.
enum Program {
    /// The name of the root command.
    static let name = "runner"
    /// The name of the subcommand that carries out a job file.
    static let runCommand = "run"
}
