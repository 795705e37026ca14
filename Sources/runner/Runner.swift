import ArgumentParser
import Diagnostics
import SystemKit
import TransferModel

/// The command line with one subcommand for each task of `runner`.
struct Runner: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Program.name,
        abstract: "Run the uploads and downloads that a job file declares.",
        discussion: """
            A job file is YAML: sessions, orders to send, artifacts to fetch, rules for success and retries. \
            `runner validate` finds faults before a run, `runner run` runs the job and \
            writes a report.

            \(Examples.title)
              # check a job file, look at its tasks, then run it
              runner validate job.yaml
              runner plan job.yaml
              runner run job.yaml
            """,
        version: RunnerVersion.current,
        subcommands: [
            Validate.self, ShowPlan.self, Run.self, LockCommand.self, Submit.self, Status.self,
            Suspend.self, Resume.self, Cancel.self, Reset.self, CacheCommand.self,
            ReportCommand.self, Interfaces.self, Schema.self, Doctor.self, Completion.self,
            FindProxy.self,
        ]
    )

    /// The command on the command line.
    ///
    /// A subcommand in first place parses its arguments itself: the root parser would check twice
    /// for a completion script, which takes longer than everything else. When that fails, for help
    /// or an error, the root parser reads all arguments again.
    fileprivate static func command() throws -> any ParsableCommand {
        let arguments = ProcessContext.arguments
        if let name = arguments.first,
            let subcommand = configuration.subcommands.first(where: { $0._commandName == name }),
            let command = try? subcommand.parseAsRoot(Array(arguments.dropFirst())),
            type(of: command) == subcommand
        {
            return command
        }
        if let unknown = UnknownCommand(in: arguments, of: Runner.self) { throw unknown.error }
        return try parseAsRoot(arguments)
    }

    /// Answers the script of a shell; false for any other command line.
    ///
    /// Not a command of the parser, because the words may belong to an unfinished option.
    fileprivate static func answerShell() throws -> Bool {
        guard ProcessContext.arguments.first == Completion.requestName else { return false }
        try Completion.answer(
            Array(ProcessContext.arguments.dropFirst()),
            description: _dumpHelp()
        )
        return true
    }
}

@main
enum Main {
    static func main() {
        ProcessContext.openMissingStandardStreams()
        ProcessContext.ignoreWriteSignals()
        do {
            if try Runner.answerShell() { return }
            var command = try Runner.command()
            try command.run()
        } catch let exit as Exit {
            exit.leave()
        } catch let error as SystemError {
            Exit(.environment, error.message).leave()
        } catch {
            explain(error).leave()
        }
    }

    /// Prints help to standard output and command line errors to standard error.
    private static func explain(_ error: any Error) -> Exit {
        // The text quotes the command line.
        let text = TerminalText.harmlessLines(Runner.fullMessage(for: error)) + "\n"
        if Runner.exitCode(for: error).isSuccess {
            do throws(SystemError) {
                try StandardOutput.write(text)
                return Exit(.success)
            } catch {
                return Exit(.environment, error.message)
            }
        }
        StandardError.write(Array(text.utf8))
        return Exit(.usage)
    }
}

/// A word in the place of a command that is no command.
struct UnknownCommand {
    /// The names of the commands before the word.
    private let names: [String]
    private let word: String
    private let known: [String]

    /// Finds a word that is not a command; nil when every command has its name.
    init?(in arguments: [String], of root: any ParsableCommand.Type) {
        var command = root
        var names = [Program.name]
        for word in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, !word.hasBytePrefix("-") else { return nil }
            guard let next = subcommands.first(where: { $0._commandName == word }) else {
                self.names = names
                self.word = word
                known = subcommands.filter { $0.configuration.shouldDisplay }.map {
                    $0._commandName
                }
                return
            }
            names.append(word)
            command = next
        }
        return nil
    }

    /// The error for the user, in the words of the argument parser.
    var error: ValidationError {
        let command = (names + [word]).joined(separator: " ")
        let advice =
            if let nearest = NearestName.find(word, among: known) {
                ". Did you mean '\((names + [nearest]).joined(separator: " "))'?"
            } else {
                "; there are \(known.joined(separator: ", "))"
            }
        return ValidationError("Unknown command '\(command)'\(advice)")
    }
}
