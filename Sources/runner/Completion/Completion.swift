import ArgumentParser
import SystemKit

/// `runner completion`: prints a script that completes command lines of `runner` in a shell.
struct Completion: ParsableCommand {
    /// The shells that have a script.
    enum Shell: String, WordChoice {
        case bash
        case zsh
        case fish
    }

    static let configuration = CommandConfiguration(
        commandName: "completion",
        _superCommandName: Program.name,
        abstract: "Print a completion script for a shell.",
        discussion: Examples.discussion(
            "The script completes commands, options, file names, the ids of a job's tasks for "
                + "`--only`, its variables for `--var`, and the background sessions for `status` "
                + "and `cancel`.",
            Example("for this shell", "source <(runner completion bash)"),
            Example(
                "for every bash of this user",
                "runner completion bash > ~/.local/share/bash-completion/completions/runner"
            ),
            Example("for zsh, in a folder of $fpath", "runner completion zsh > ~/.zfunc/_runner"),
            Example("for fish", "runner completion fish > ~/.config/fish/completions/runner.fish")
        )
    )

    /// The first word of the command line by which a script asks for completions.
    static let requestName = "complete"

    @Argument(help: "The shell.")
    var shell: Shell

    mutating func run() throws { try StandardOutput.write(shell.script) }

    /// Answers a script.
    ///
    /// - Parameters:
    ///   - words: The words after the program's name; the last one is to be completed.
    ///   - description: The parser's description of the command line.
    /// - Throws: A fault of the description; `SystemError` when nothing can be written.
    static func answer(_ words: [String], description: String) throws {
        let tree = try CommandTree(description)
        let completion = CommandLineCompletion(of: words, in: tree, names: .ofThisMachine())
        try StandardOutput.write(completion.text)
    }
}
