import Diagnostics
import JobFile
import RegexKit
import Plan
import TestSupport
import Testing

@Suite struct FixtureTests {
    @Test(arguments: Fixture.all())
    func `a wrong job has the diagnostics that its fixture lists`(fixture: Fixture) throws {
        let (document, found) = try Self.result(fixture)
        let reports = FileDiagnostics(showing: found.diagnostics, of: document).byFile
        let text = (reports + found.dataFaults).map { TextRenderer($0).render() }.joined()
        #expect(!text.isEmpty)
        if Fixture.isUpdating { fixture.update(text) }
        #expect(try text == #require(fixture.expected))
    }

    @Test func `every code has a fixture that is named after it`() throws {
        for code in JobCode.allCases {
            let name = String(code.rawValue.dropFirst("job.".count))
            let fixture = try #require(Fixture.all().first { $0.name == name }, "\(name)")
            let found = try Self.result(fixture).found
            let all = found.diagnostics + found.dataFaults.flatMap(\.diagnostics)
            #expect(all.contains { $0.code == code.rawValue }, "\(name)")
        }
    }

    @Test(arguments: Fixture.all())
    func `only faults of the environment alone leave a job possibly valid`(
        fixture: Fixture
    ) throws {
        let names = [
            "missing-variable", "missing-file", "unreadable-file", "missing-secret",
            "missing-library", "pattern-as-file",
        ]
        let rejected = try Self.result(fixture).found
        let hasErrors =
            !rejected.dataFaults.isEmpty
            || rejected.diagnostics.contains { $0.severity == .error }
        #expect((hasErrors && rejected.isEnvironment) == names.contains(fixture.name))
    }

    @Test(arguments: Fixture.all())
    func `no fault is listed twice`(fixture: Fixture) throws {
        let diagnostics = try Self.result(fixture).found.diagnostics
        #expect(Set(diagnostics).count == diagnostics.count)
    }

    /// The diagnostics of a fixture, under the options in its first lines: `# --var name=value`; `#
    /// --no-secret name` makes the secret unavailable, as in a run.
    private static func result(
        _ fixture: Fixture
    ) throws -> (document: Document, found: PlanRejected) {
        var variables: [String: String] = [:]
        var environment: [String: String] = [:]
        var report: String?
        var missing: Set<Substring> = []
        var files: [String: PlanOptions.FileStatus] = [:]
        var data: [String: String] = [:]
        var hasPatterns = true
        let text = String(decoding: fixture.input, as: UTF8.self)
        for line in text.split(separator: "\n").prefix(while: { $0.hasPrefix("# --") }) {
            let words = line.split(separator: " ")
            let pair = words[2].split(separator: "=", omittingEmptySubsequences: false)
                .map(String.init)
            switch words[1] {
            case "--var": variables[pair[0]] = pair[1]
            case "--env": environment[pair[0]] = pair[1]
            case "--no-secret": missing.insert(words[2])
            case "--report": report = pair[0]
            case "--data":
                data[pair[0]] = pair[1].replacing(#"\n"#, with: "\n").replacing(#"\r"#, with: "\r")
            case "--absent": files[pair[0]] = .missing
            case "--without": hasPatterns = false
            case "--pipe": files[pair[0]] = .pipe
            case "--closed": files[pair[0]] = .unreadable("Permission denied")
            default: files[pair[0]] = .notRegular
            }
        }
        let options = PlanOptions {
            $0.variables = variables
            $0.environment = environment
            $0.workingFolder = "/jobs"
            $0.reportPath = report
            $0.fileStatus = { [files] in files[$0] ?? .readable }
            $0.patternFault = { [hasPatterns] in
                hasPatterns ? RegularExpression.fault(in: $0) : .unavailable("it is not there")
            }
            $0.dataFile = { [data] in data[$0].map { MemoryFile($0) } }
            $0.folder = { path, _ in MemoryFolders.site.list(path) }
        }
        let included = Inclusion(fixture.input, name: fixture.name + ".yaml", options: options)
        let document = try #require(included.document)
        do {
            let plan = try Plan.make(from: document, options: options)
            let secrets = plan.neededSecrets.filter { missing.contains($0.name[...]) }
                .map { $0.missing("is not there") }
            let all = included.diagnostics(with: plan.warnings + secrets)
            return (document, PlanRejected(diagnostics: all))
        } catch {
            let all = included.diagnostics(with: error.diagnostics)
            return (document, PlanRejected(diagnostics: all, dataFaults: error.dataFaults))
        }
    }
}
