import ArgumentParser
import SystemKit
import TransferModel

/// The command line: one subcommand for each thing that `runner` does.
struct Runner: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Program.name,
        abstract: "Run the uploads and downloads that a job file declares.",
        discussion: """
            A job file is YAML: sessions, orders to send, artifacts to fetch, what counts as success and what is \
            tried again. `runner validate` finds its faults before the night, `runner run` carries it out and \
            leaves a report.
            """,
        version: RunnerVersion.current,
        subcommands: [
            Validate.self, ShowPlan.self, Run.self, Status.self, Cancel.self, CacheCommand.self,
            Interfaces.self,
            Schema.self, Doctor.self,
        ]
    )

    /// The command of the command line.
    ///
    /// A subcommand that is named first reads its arguments by itself: on the way to it the parser
    /// would look twice for the wish for a completion script, which takes longer than all the rest.
    /// Where it finds none for itself, be it that help is asked for or something is wrong, all is
    /// read again and answered as ever.
    fileprivate static func command() throws -> any ParsableCommand {
        let arguments = ProcessContext.arguments
        if let name = arguments.first,
            let subcommand = configuration.subcommands.first(where: { $0._commandName == name }),
            let command = try? subcommand.parseAsRoot(Array(arguments.dropFirst())),
            type(of: command) == subcommand
        {
            return command
        }
        return try parseAsRoot(arguments)
    }
}

@main
enum Main {
    static func main() {
        ProcessContext.openMissingStandardStreams()
        ProcessContext.ignoreWriteSignals()
        do {
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

    /// Prints help to standard output and complaints about the command line to standard error.
    private static func explain(_ error: any Error) -> Exit {
        // It quotes the command line.
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
