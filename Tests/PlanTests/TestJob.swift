import Diagnostics
import JobFile
import Plan
import RegexKit
import Testing
import TransferModel

/// Job files as tests write them.
enum TestJob {
    /// The plan of a job file in `/jobs` with this text.
    static func plan(
        _ text: String,
        variables: [String: String] = [:],
        environment: [String: String] = [:],
        only: [String] = [],
        name: String = "test.yaml",
        fileStatus: @escaping @Sendable (String) -> PlanOptions.FileStatus = { _ in .readable }
    ) throws -> Plan {
        let options = PlanOptions {
            $0.variables = variables
            $0.environment = environment
            $0.only = only
            $0.workingFolder = "/jobs"
            $0.fileStatus = fileStatus
            $0.patternFault = RegularExpression.fault
        }
        let result = Document.parse(Array(text.utf8), name: name)
        #expect(result.diagnostics.isEmpty)
        return try Plan.make(from: #require(result.document), options: options)
    }

    /// The plan of one download with these settings, in flow style, beside a URL and a destination.
    static func download(_ settings: String, sessions: String = "{}") throws -> Plan {
        try plan(
            """
            version: 1
            sessions: \(sessions)
            downloads:
              it: { url: "https://example.com/", to: it, \(settings) }
            """
        )
    }

    /// Codes and places of a text's diagnostics, as `line:column code`.
    static func faults(
        _ text: String,
        variables: [String: String] = [:],
        environment: [String: String] = [:]
    ) throws -> [String] {
        let options = PlanOptions {
            $0.variables = variables
            $0.environment = environment
            $0.workingFolder = "/jobs"
        }
        return try faults(text, options: options)
    }

    /// The same under other options.
    static func faults(_ text: String, options: PlanOptions) throws -> [String] {
        let result = Document.parse(Array(text.utf8), name: "test.yaml")
        #expect(result.diagnostics.isEmpty)
        do {
            return try Plan.make(from: #require(result.document), options: options).warnings
                .map(describe)
        } catch let rejected as PlanRejected {
            return rejected.diagnostics.map(describe)
        }
    }

    private static func describe(_ diagnostic: Diagnostic) -> String {
        "\(diagnostic.range.start.line):\(diagnostic.range.start.column) \(diagnostic.code)"
    }
}

extension Plan {
    /// The plan with the values of its secrets, which are found in a text as they are.
    func with(_ values: [String: Secret]) throws(PlanRejected) -> Plan {
        try with(values) { secret in
            { text in
                let range = secret.withText { text.firstRange(of: $0) }
                return range.map { text.utf8.distance(from: text.startIndex, to: $0.lowerBound) }
            }
        }
    }
}
