import Diagnostics
import JSON
import TestSupport
import Testing

@Suite struct SARIFRendererTests {
    private func log(_ reports: FileDiagnostics...) throws -> JSONValue {
        var writer = JSONWriter()
        SARIFRenderer.write(reports, version: "1.2.3", to: &writer)
        return try JSONValue(bytes: writer.bytes)
    }

    private func run(_ reports: FileDiagnostics...) throws -> JSONValue {
        var writer = JSONWriter(isPretty: true)
        SARIFRenderer.write(reports, version: "1.2.3", to: &writer)
        return try #require(try JSONValue(bytes: writer.bytes)["runs"]?[0])
    }

    private func report(_ name: String, _ diagnostics: Diagnostic...) -> FileDiagnostics {
        FileDiagnostics(source: SourceText(name: name, bytes: []), diagnostics: diagnostics)
    }

    private func range(_ line: Int, _ start: Int, _ end: Int) -> SourceRange {
        SourceRange(
            start: SourcePosition(line: line, column: start),
            end: SourcePosition(line: line, column: end)
        )
    }

    private func region(_ line: Int, _ start: Int, _ end: Int) throws -> JSONValue {
        try JSONValue(
            #"{"startLine":\#(line),"startColumn":\#(start),"endLine":\#(line),"endColumn":\#(end)}"#
        )
    }

    @Test func `a log names its version, its tool and its column unit`() throws {
        let log = try log(report("a.yaml"))
        #expect(log["version"]?.string == "2.1.0")
        #expect(log["$schema"]?.string?.hasSuffix("/sarif-schema-2.1.0.json") == true)
        #expect(log["runs"]?.elements.count == 1)
        let run = try #require(log["runs"]?[0])
        let driver = run["tool"]?["driver"]
        #expect(driver?["name"]?.string == "runner")
        #expect(driver?["semanticVersion"]?.string == "1.2.3")
        #expect(driver?["rules"] == .array([]))
        #expect(run["columnKind"]?.string == "unicodeCodePoints")
        #expect(run["newlineSequences"]?.elements.contains(.string("\u{2028}")) == true)
        #expect(run["results"] == .array([]))
        #expect(try run["artifacts"] == JSONValue(#"[{"location":{"uri":"a.yaml"}}]"#))
    }

    @Test func `every code is one rule to which its results point`() throws {
        let place = range(1, 1, 2)
        let run = try run(
            report("a.yaml", Diagnostic(code: "x.b", "m", at: place)),
            report(
                "b.yaml",
                Diagnostic(.warning, code: "x.a", "m", at: place),
                Diagnostic(code: "x.b", "m", at: range(2, 1, 2))
            )
        )
        let rules = run["tool"]?["driver"]?["rules"]
        #expect(rules?.elements.map { $0["id"]?.string } == ["x.b", "x.a"])
        for rule in rules?.elements ?? [] {
            #expect(rule["shortDescription"] == nil && rule["helpUri"] == nil)
        }
        let results = try #require(run["results"]?.elements)
        #expect(results.map { $0["ruleId"]?.string } == ["x.b", "x.a", "x.b"])
        #expect(results.map { $0["ruleIndex"]?.integer } == [0, 1, 0])
        #expect(results.map { $0["level"]?.string } == ["error", "warning", "error"])
    }

    @Test func `a rule has the meaning of its code as on the page of the codes`() throws {
        let place = range(1, 1, 2)
        let run = try run(
            report(
                "a.yaml",
                Diagnostic(code: "job.unknown-key", "m", at: place),
                Diagnostic(.warning, code: "job.no-tasks", "m", at: place)
            )
        )
        let rules = run["tool"]?["driver"]?["rules"]?.elements ?? []
        let texts = rules.map { $0["shortDescription"]?["text"]?.string }
        #expect(texts.first == "a key that this mapping does not have")
        #expect(texts.last??.hasPrefix("nothing to do: ") == true)
        let pages = rules.map { $0["helpUri"]?.string }
        #expect(
            pages == ["man:runner-job(5)#job.unknown-key", "man:runner-job(5)#job.no-tasks"]
        )
    }

    @Test func `a result has its place, its notes and its edit`() throws {
        let fault = Diagnostic(
            code: "x.y",
            "m",
            at: range(2, 3, 7),
            notes: [.init("there", at: range(1, 1, 2)), .init("nowhere")],
            help: "h",
            fixIt: .init(range: range(2, 3, 3), replacement: "r")
        )
        let result = try #require(try run(report("a.yaml", fault))["results"]?[0])
        #expect(result["message"]?["text"]?.string == "m\nhelp: h\nnote: nowhere")

        let place = result["locations"]?[0]?["physicalLocation"]
        #expect(place?["artifactLocation"]?["uri"]?.string == "a.yaml")
        #expect(try place?["region"] == region(2, 3, 7))

        let related = result["relatedLocations"]
        #expect(related?.elements.count == 1)
        #expect(related?[0]?["id"]?.integer == 1)
        #expect(related?[0]?["message"]?["text"]?.string == "there")
        let note = related?[0]?["physicalLocation"]
        #expect(try note?["region"] == region(1, 1, 2))

        let change = result["fixes"]?[0]?["artifactChanges"]?[0]
        #expect(change?["artifactLocation"]?["uri"]?.string == "a.yaml")
        let replacement = change?["replacements"]?[0]
        #expect(try replacement?["deletedRegion"] == region(2, 3, 3))
        #expect(replacement?["insertedContent"]?["text"]?.string == "r")
    }

    @Test func `a result without notes and edit has no empty lists`() throws {
        let fault = Diagnostic(code: "x.y", "m", at: range(1, 1, 2), notes: [.init("nowhere")])
        let result = try #require(try run(report("a.yaml", fault))["results"]?[0])
        #expect(
            result.members.map(\.name) == ["ruleId", "ruleIndex", "level", "message", "locations"]
        )
    }

    @Test(
        arguments: [
            ("jobs/a.yaml", "jobs/a.yaml"), ("/srv/a b.yaml", "file:///srv/a%20b.yaml"),
            ("50%?#[x].yaml", "50%25%3F%23%5Bx%5D.yaml"), ("é.yaml", "%C3%A9.yaml"),
            ("a:b.yaml", "./a:b.yaml"), ("jobs/a:b.yaml", "jobs/a:b.yaml"),
            ("../a.yaml", "../a.yaml"), ("a\nb", "a%0Ab"),
        ]
    )
    func `a file's name becomes a safely encoded reference`(
        name: String,
        reference: String
    ) throws {
        let artifact = try run(report(name))["artifacts"]?[0]
        #expect(artifact?["location"]?["uri"]?.string == reference)
    }
}
