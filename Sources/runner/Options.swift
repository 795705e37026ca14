import ArgumentParser
import Plan
import Report
import SystemKit
import TransferModel

/// One `--var NAME=VALUE`.
struct VariableAssignment: ExpressibleByArgument {
    var name: String
    var value: String
    /// Whether the argument is a name, `=` and a value.
    ///
    /// The parser's own message about any other argument would quote the value.
    let isAssignment: Bool

    init(argument: String) {
        guard !argument.hasForeignBytes, let parts = argument.cut(atFirst: "="),
            !parts.before.isEmpty
        else {
            (name, value, isAssignment) = ("", "", false)
            return
        }
        isAssignment = true
        (name, value) = (String(parts.before), String(parts.behind))
    }
}

extension CompletionKind {
    /// The names of job files.
    static var jobFile: CompletionKind { .file(extensions: ["yaml", "yml"]) }
}

/// The selection and variables of a job, the same for every command that reads a job file.
struct JobOptions: ParsableArguments {
    @Option(
        name: .customLong("var"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Set a variable of the job file; the option may be repeated.",
            discussion: "Also RUNNER_VAR_<name> in the environment.",
            valueName: "name=value"
        )
    )
    var variables: [VariableAssignment] = []

    func validate() throws {
        guard variables.allSatisfy(\.isAssignment) else {
            throw ValidationError(
                "'--var' takes a name, the sign '=' and a value: '--var <name=value>'"
            )
        }
    }

    /// `RUNNER_VAR_name` of the environment, overridden by the command line.
    ///
    /// - Throws: `Exit` for an environment variable that is not valid text.
    func resolvedVariables(in environment: [String: String]) throws(Exit) -> [String: String] {
        let prefix = PlanOptions.variablePrefix
        var result: [String: String] = [:]
        for (name, value) in environment where name.hasBytePrefix(prefix) {
            guard !value.hasForeignBytes else {
                throw Exit(
                    .environment,
                    "the environment variable \(name.shownSystemText) is not UTF-8 text"
                )
            }
            result[String(name.dropFirst(prefix.count))] = value
        }
        for variable in variables { result[variable.name] = variable.value }
        return result
    }
}

/// The state folder, the same for every command with persistent state.
struct StateOptions: ParsableArguments {
    @Option(
        name: .customLong("state-dir"),
        help: ArgumentHelp(
            "The folder for state that is kept between runs. [env: RUNNER_STATE_DIR] (default: "
                + "$XDG_STATE_HOME/runner)",
            valueName: "folder"
        ),
        completion: .directory
    )
    var stateFolder: String?

    /// From the command line, or else from the environment.
    var chosenFolder: String? { stateFolder ?? EnvironmentOption.text("STATE_DIR") }
}

/// A choice between words, read directly: the parser's defaults use key paths at every start.
protocol WordChoice: ExpressibleByArgument, CaseIterable, RawRepresentable<String> {}

extension WordChoice {
    static var allValueStrings: [String] { allCases.map { $0.rawValue } }
    static var allValueDescriptions: [String: String] { [:] }
}

/// The output format of `validate`.
enum DiagnosticFormat: String, WordChoice {
    case text
    case json
    /// Workflow commands of GitHub Actions.
    case github
    /// SARIF 2.1.0.
    case sarif
    /// A report of GitLab's Code Quality.
    case gitlab

    /// From the command line, or else from the environment; text by default.
    static func resolve(_ chosen: DiagnosticFormat?) throws -> DiagnosticFormat {
        try chosen ?? EnvironmentOption.choice("FORMAT") ?? .text
    }
}

/// The output format of `plan` and `doctor`.
enum OutputFormat: String, WordChoice {
    case text
    case json

    /// From the command line, or else from the environment; text by default.
    static func resolve(_ chosen: OutputFormat?) throws -> OutputFormat {
        try chosen ?? EnvironmentOption.choice("FORMAT") ?? .text
    }
}

extension ProgressStyle: WordChoice {}

/// The environment variables that replace options.
enum EnvironmentOption {
    /// A nonempty value.
    static func text(_ name: String) -> String? {
        ProcessContext.variable("RUNNER_\(name)").flatMap { $0.isEmpty ? nil : $0 }
    }

    /// `1` or `true`, `0` or `false`.
    static func flag(_ name: String) throws -> Bool {
        switch text(name) {
        case nil, "0", "false": false
        case "1", "true": true
        case .some(let other):
            throw Exit(.usage, "RUNNER_\(name) is `\(other)`; it can be 1 or 0")
        }
    }

    /// One of several words; nil when the variable is not set.
    static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String
    ) throws -> Choice? {
        guard let text = text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw Exit(.usage, "RUNNER_\(name) is `\(text)`; it can be \(known)")
        }
        return choice
    }

    /// Task ids from the command line, or else from `RUNNER_ONLY`.
    static func identifiers(_ chosen: [String]) -> [String] {
        guard chosen.isEmpty else { return chosen }
        return (text("ONLY") ?? "").splitAtBytes(" ").map(String.init)
    }
}
