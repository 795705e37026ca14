/// The names of the program and of the command that another process is started with.
///
/// Subcommands name their parent by it: deriving names from types would reflect on each of them at
/// every start, and naming the root command would tie every subcommand to all others.
enum Program {
    /// The name of the root command.
    static let name = "runner"
    /// The name of the subcommand that carries out a job file.
    static let runCommand = "run"
}
