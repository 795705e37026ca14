import JobFile
import Plan
import SystemKit
import TestSupport
import Testing
import TransferModel

@Suite struct ValidJobTests {
    /// Jobs made for this test, and those that the repository shows to its users.
    private static let jobs = Fixture.all(in: "Valid") + Fixture.all(in: "../../jobs")

    @Test(arguments: jobs)
    func `a valid job has no fault and every task of it can be read`(fixture: Fixture) throws {
        let plan = try Self.plan(fixture)
        #expect(plan.warnings.isEmpty)
        var captured: CapturedValues = [:]
        for index in 0..<plan.taskCount {
            let task = try plan.task(at: index, captured: captured)
            #expect(task.id == plan.id(of: index))
            captured[index] = task.expectation.captures.map { CapturedValue($0.name, "1") }
        }
    }

    @Test(arguments: jobs)
    func `a valid job has only keys that the schema has`(fixture: Fixture) throws {
        let job = try #require(Document.parse(fixture.input, name: fixture.name).document)
        let keys = SchemaKeys(try #require(Document.parse(JobSchema.text, name: "schema").document))
        #expect(keys.unknown(in: job).isEmpty)
    }

    @Test func `a key that the schema lacks is found`() throws {
        let text = "version: 1\ndata: { a: { url: u, retry: { backoff: { nope: 1 } } } }\nnope: 2"
        let job = try #require(Document.parse(Array(text.utf8), name: "wrong").document)
        let keys = SchemaKeys(try #require(Document.parse(JobSchema.text, name: "schema").document))
        #expect(keys.unknown(in: job) == ["data.a.retry.backoff.nope", "nope"])
    }

    @Test func `the valid jobs together use every key`() throws {
        var used: Set<String> = []
        for fixture in Fixture.all(in: "Valid") {
            let job = try #require(Document.parse(fixture.input, name: fixture.name).document)
            Self.collectKeys(of: job.root, in: job, into: &used)
        }
        let schema = try #require(Document.parse(JobSchema.text, name: "schema").document)
        #expect(SchemaKeys(schema).all.subtracting(used).isEmpty)
    }

    private static func plan(_ fixture: Fixture) throws -> Plan {
        let options = PlanOptions {
            $0.fileStatus = { $0.hasSuffix(".pipe") ? .pipe : .readable }
            $0.dataFile = { path in
                switch path {
                case "/shared.yaml": MemoryFile("version: 1")
                case _ where path.hasSuffix(".csv"): MemoryFile("id,name,path\n1,a,p\n2,b,q\n")
                default: MemoryFile(#"{"id":1}"#)
                }
            }
            $0.folder = { _, _ in .children([.init("a.html", .file), .init("b.html", .file)]) }
        }
        let result = Inclusion(fixture.input, name: fixture.name + ".yaml", options: options)
        #expect(result.diagnostics.isEmpty)
        return try Plan.make(from: #require(result.document), options: options)
    }

    private static func collectKeys(
        of node: NodeID,
        in document: Document,
        into keys: inout Set<String>
    ) {
        for entry in document.entries(of: node) {
            keys.insert(document.text(of: entry.key))
            collectKeys(of: entry.value, in: document, into: &keys)
        }
        for element in document.elements(of: node) {
            collectKeys(of: element, in: document, into: &keys)
        }
    }
}

/// The keys that the JSON Schema allows where.
private struct SchemaKeys {
    private let schema: Document

    init(_ schema: Document) { self.schema = schema }

    /// Every property of every mapping.
    var all: Set<String> {
        var keys: Set<String> = []
        func visit(_ node: NodeID) {
            for entry in schema.entries(of: node) {
                if schema.hasText(entry.key, equalTo: "properties") {
                    for property in schema.entries(of: entry.value) {
                        keys.insert(schema.text(of: property.key))
                    }
                }
                visit(entry.value)
            }
        }
        visit(schema.root)
        return keys
    }

    /// The paths of a job's keys that the schema has not.
    func unknown(in job: Document) -> [String] {
        var unknown: [String] = []
        visit(job.root, of: job, against: schema.root, path: "", &unknown)
        return unknown
    }

    private func visit(
        _ node: NodeID,
        of job: Document,
        against described: NodeID,
        path: String,
        _ unknown: inout [String]
    ) {
        guard job.kind(of: node) == .mapping, let rules = resolved(described) else { return }
        for entry in job.entries(of: node) {
            let name = job.text(of: entry.key)
            let properties = schema.value(of: rules, for: "properties")?.value
            let named = properties.flatMap { schema.value(of: $0, for: name)?.value }
            if let rule = named ?? patternRule(name, of: rules) {
                visit(entry.value, of: job, against: rule, path: path + name + ".", &unknown)
            } else if properties != nil || schema.value(of: rules, for: "patternProperties") != nil
            {
                unknown.append(path + name)
            }
        }
    }

    /// The rule of the names that a job chooses.
    private func patternRule(_ name: String, of rules: NodeID) -> NodeID? {
        guard let patterns = schema.value(of: rules, for: "patternProperties")?.value else {
            return nil
        }
        return schema.entries(of: patterns).first { entry in
            let regex = try? Regex(schema.text(of: entry.key))
            return regex.map { name.contains($0) } ?? false
        }?.value
    }

    /// The node that a reference resolves to.
    private func resolved(_ node: NodeID) -> NodeID? {
        guard schema.kind(of: node) == .mapping else { return nil }
        // A mapping with a short form.
        if let any = schema.value(of: node, for: "anyOf")?.value,
            let form = schema.elements(of: any).first(where: {
                schema.kind(of: $0) == .mapping && schema.value(of: $0, for: "allOf") != nil
            })
        {
            return resolved(form)
        }
        guard let all = schema.value(of: node, for: "allOf")?.value,
            let first = schema.elements(of: all).first(where: { _ in true }),
            let name = schema.value(of: first, for: "$ref")?.value,
            let definitions = schema.value(of: schema.root, for: "definitions")?.value
        else { return node }
        let last = schema.text(of: name).split(separator: "/").last.map(String.init) ?? ""
        return schema.value(of: definitions, for: last)?.value
    }
}
