import Diagnostics
import JobFile
import RegexKit
import Plan
import TestSupport
import Testing

@Suite struct FixtureTests {
    @Test(arguments: Fixture.all())
    func `a wrong job is explained as written down beside it`(fixture: Fixture) throws {
        let source = SourceText(name: fixture.name + ".yaml", bytes: fixture.input)
        let report = FileDiagnostics(source: source, diagnostics: try Self.diagnostics(fixture))
        let text = TextRenderer(report).render()
        #expect(!text.isEmpty)
        if Fixture.isUpdating { fixture.update(text) }
        #expect(try text == #require(fixture.expected))
    }

    @Test func `every code has a fixture that is named after it`() throws {
        for code in JobCode.allCases where code != .tooManyFaults {
            let name = String(code.rawValue.dropFirst("job.".count))
            let fixture = try #require(Fixture.all().first { $0.name == name }, "\(name)")
            #expect(try Self.diagnostics(fixture).contains { $0.code == code.rawValue }, "\(name)")
        }
    }

    @Test(arguments: Fixture.all())
    func `only faults of the environment make a job one that may be right`(
        fixture: Fixture
    ) throws {
        let names = ["missing-variable", "missing-file", "missing-secret", "missing-library"]
        let rejected = PlanRejected(diagnostics: try Self.diagnostics(fixture))
        let hasErrors = rejected.diagnostics.contains { $0.severity == .error }
        #expect((hasErrors && rejected.isEnvironment) == names.contains(fixture.name))
    }

    @Test(arguments: Fixture.all())
    func `no fault is listed twice`(fixture: Fixture) throws {
        let diagnostics = try Self.diagnostics(fixture)
        #expect(Set(diagnostics).count == diagnostics.count)
    }

    /// What is wrong with a fixture, under the options that its first lines name: `# --var name=value`;
    /// `# --no-secret name` is what a run says that cannot have the secret.
    private static func diagnostics(_ fixture: Fixture) throws -> [Diagnostic] {
        var variables: [String: String] = [:]
        var environment: [String: String] = [:]
        var report: String?
        var missing: Set<Substring> = []
        var files: [String: PlanOptions.FileStatus] = [:]
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
            case "--absent": files[pair[0]] = .missing
            case "--without": hasPatterns = false
            case "--pipe": files[pair[0]] = .pipe
            default: files[pair[0]] = .notRegular
            }
        }
        let options = PlanOptions(
            variables: variables,
            environment: environment,
            workingFolder: "/jobs",
            reportPath: report,
            fileStatus: { [files] in files[$0] ?? .readable },
            patternFault: { [hasPatterns] in
                hasPatterns ? RegularExpression.fault(in: $0) : .unavailable("it is not there")
            }
        )
        let result = Document.parse(fixture.input, name: fixture.name + ".yaml")
        #expect(result.diagnostics.isEmpty)
        do {
            let plan = try Plan.make(from: #require(result.document), options: options)
            let secrets = plan.neededSecrets.filter { missing.contains($0.name[...]) }
            return plan.warnings + secrets.map { $0.missing("is not there") }
        } catch let rejected as PlanRejected {
            return rejected.diagnostics
        }
    }
}
