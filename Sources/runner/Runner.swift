import ArgumentParser
import SystemKit
import TransferModel

/// The command line: one subcommand for each thing that `runner` does.
///
/// Every subcommand writes its name out: deriving it from the type would reflect on each of them at every start.
struct Runner: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runner",
        abstract: "Run the uploads and downloads that a job file declares.",
        discussion: """
            A job file is YAML: sessions, orders to send, artifacts to fetch, what counts as success and what is \
            tried again. `runner validate` finds its faults before the night, `runner run` carries it out and \
            leaves a report.
            """,
        version: RunnerVersion.current,
        subcommands: [
            Validate.self, ShowPlan.self, Run.self, Status.self, Cancel.self, Schema.self,
            Doctor.self,
        ]
    )
}

@main
enum Main {
    static func main() {
        ProcessContext.openMissingStandardStreams()
        ProcessContext.ignoreBrokenPipes()
        do {
            var command = try Runner.parseAsRoot()
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
        let text = Runner.fullMessage(for: error) + "\n"
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
