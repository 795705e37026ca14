import TestSupport
import Testing

/// A job file in a folder of its own, for the built executable.
struct JobFolder {
    let folder: TemporaryFolder

    /// Writes the job as `job.yaml`.
    init(_ job: String) throws {
        folder = try TemporaryFolder()
        try folder.write(job, to: "job.yaml")
    }

    /// The executable in this folder; nothing of the user's own reaches it.
    func command(_ arguments: [String], environment: [String: String?] = [:]) throws -> Command {
        try Command.runner(
            arguments,
            environment: ["HOME": folder.path].merging(environment) { $1 },
            workingFolder: folder.path
        )
    }

    /// Runs the executable in this folder to its end.
    func runner(
        _ arguments: [String],
        environment: [String: String?] = [:]
    ) throws -> Command.Outcome {
        // The folder lives as long as the processes in it.
        try withExtendedLifetime(self) { try command(arguments, environment: environment).run() }
    }

    /// `runner run job.yaml`, its report being written to `report.json`.
    func runCommand(
        _ arguments: [String] = [],
        environment: [String: String?] = [:]
    ) throws -> Command {
        try command(
            ["run", "job.yaml", "--report", "report.json"] + arguments,
            environment: environment
        )
    }

    /// Runs the job to its end.
    func run(
        _ arguments: String...,
        environment: [String: String?] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RunOutcome {
        let outcome = try runCommand(arguments, environment: environment).run()
        return try outcome.reported(in: folder, sourceLocation: sourceLocation)
    }
}

/// How a run ended, with the report that it left.
struct RunOutcome {
    let command: Command.Outcome
    let report: JSONValue

    /// nil when a signal ended it.
    var code: Int32? {
        if case .exit(let code) = command.status { code } else { nil }
    }

    /// The report's record of a task.
    func task(_ id: String) -> JSONValue? {
        report["tasks"]?.elements.first { $0["id"]?.string == id }
    }

    func outcome(_ id: String) -> String? { task(id)?["outcome"]?.string }

    /// The kind of the failure that a task ended with.
    func kind(_ id: String) -> String? { task(id)?["error"]?["kind"]?.string }

    /// Why each of a task's attempts ended as it did.
    func attempts(_ id: String) -> [JSONValue] { task(id)?["attempts"]?.elements ?? [] }

    /// All exchanges of a task, redirects included.
    func exchanges(_ id: String) -> [JSONValue] {
        task(id)?["metrics"]?["transactionMetrics"]?.elements ?? []
    }
}

extension Command.Outcome {
    /// Reads the report that a run left and holds it to the schema, to the invariants and to the
    /// exit code.
    func reported(
        in folder: TemporaryFolder,
        as name: String = "report.json",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RunOutcome {
        try #require(
            folder.contains(name),
            "no report: \(standardError)",
            sourceLocation: sourceLocation
        )
        let outcome = RunOutcome(
            command: self,
            report: try JSONValue(bytes: folder.read(name))
        )
        let faults = try Repository.reportValidator().faults(in: outcome.report)
        let violations = ReportInvariants(report: outcome.report).violations()
        #expect(faults.isEmpty, sourceLocation: sourceLocation)
        #expect(violations.isEmpty, sourceLocation: sourceLocation)
        let written = outcome.report["summary"]?["exitCode"]?.integer
        #expect(written == outcome.code.map { Int64($0) }, sourceLocation: sourceLocation)
        return outcome
    }
}

/// The sources that the tests were built from.
enum Repository {
    /// The absolute path of a file of the repository.
    static func path(_ name: String) -> String {
        #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/" + name
    }

    /// The validator of reports, read once.
    static func reportValidator() throws -> JSONSchemaValidator { try madeReportValidator.get() }

    private static let madeReportValidator = Result { try validator("report") }

    /// The validator of a schema that the repository keeps.
    static func validator(_ subject: String) throws -> JSONSchemaValidator {
        let schema = Fixture.read(path("schemas/\(subject).schema.json")) ?? []
        return JSONSchemaValidator(schema: try JSONValue(bytes: schema))
    }
}
