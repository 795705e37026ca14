import Diagnostics
import JobFile
import Testing

@testable import Plan

/// Of a line of a job file that a diagnostic is about, only what is in the list of what may be
/// shown is shown.
@Suite struct ValueScreenTests {
    /// All lines of a file with dots in place of what is hidden in diagnostics about `spans`.
    private static func shown(of file: String, _ spans: [SourceRange] = []) throws -> String {
        let parsed = Document.parse(Array(file.utf8), name: "job.yaml")
        let document = try #require(parsed.document, "\(parsed.diagnostics)")
        var lines = file.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.unicodeScalars.map(String.init) }
        let everyLine = (1...lines.count).map {
            SourceRange(SourcePosition(line: $0, column: 1))
        }
        let report = FileDiagnostics(
            showing: (everyLine + spans).map { Diagnostic(code: "x.y", "m", at: $0) },
            of: document
        )
        for range in report.hidden {
            #expect(range.start.line == range.end.line)
            let columns = range.start.column - 1..<range.end.column - 1
            for column in columns { lines[range.start.line - 1][column] = "" }
            lines[range.start.line - 1][columns.lowerBound] = "•••"
        }
        return lines.map { $0.joined() }.joined(separator: "\n")
    }

    @Test(arguments: [
        "version: 1", "defaults: { retry: { atempts: 6, budget: 5 } }",
        "data: { a: { url: \"https://h.example:8443/a/${item.id}.bin\", method: GETT } }",
        "data: { a: { url: htps://h.example/a } }",
        "data: { a: { url: example.com/a, timeoutInterval: 30 seconds } }",
        "data: { a: { url: 'http://localhost:4873/@scope/name' } }",
        "downloads: { a: { url: \"${var.base}/x\", checksum: \"sha256:zz\" } }",
        "data: { a: { expect: { mimeType: text/html } } }",
        "data: { a: { headers: { Authorization: \"${secret.shop}\" } } }",
        "data: { a: { needs: [b, c] }, b: { session: c }, c: { x: 1 } }\nsessions: { c: { d: 1 } }",
        "data: { a: { x: true, y: 12, z: basic } }",
        "data: { a: { retry: { on: [503, conect] } } }", "schedule: { deadlin }",
        "secrets: { a: { env: API_TOKEN } }",
        "data: { a: { headers: { X: \"${ env.A }${{ secrets.B }}{{ var.c }}\" } } }",
    ])
    func `what is in the list is shown`(file: String) throws {
        #expect(try Self.shown(of: file) == file)
    }

    @Test(arguments: [
        ("variables: { a: hunter2 }", "variables: { a: ••• }"),
        ("variables: { a: 'hunter2 ${var.b} x' }", "variables: { a: '••• ${var.b} •••' }"),
        ("data: { a: { apiKeyy: hunter2 } }", "data: { a: { apiKeyy: ••• } }"),
        ("data: { a: { headers: { X: hunter2 } } }", "data: { a: { headers: { X: ••• } } }"),
        ("variables: { key: hunter2, name: h3 }", "variables: { key: •••, name: ••• }"),
        (
            "uploads: { a: { json: { to: [hunter2] } } }",
            "uploads: { a: { json: { •••: [•••] } } }"
        ),
        ("data: { a: { urll: hunter2 } }", "data: { a: { urll: ••• } }"),
        (
            "streams: { s: { steps: [{ write: \"AUTH PLAIN AGI=\" }] } }",
            "streams: { s: { steps: [{ write: \"•••\" }] } }"
        ),
        ("data: { a: { x: y, hunter2 } }", "data: { a: { x: •••, ••• } }"),
        ("a: { url: https://h/?k=hunter2 }", "a: { •••: ••• }"),
        ("data: { a: { url: https://h/?k=x1 } }", "data: { a: { url: https://h/••• } }"),
        ("data: { a: { url: https://bob:hunter2@h/ } }", "data: { a: { url: https://••• } }"),
        (
            "data: { a: { url: https://bob:hun, ter@h/: } }",
            "data: { a: { url: https://•••, •••: } }"
        ),
        (
            "data: { a: { url: https://hunter2%40h.example/x } }",
            "data: { a: { url: https://••• } }"
        ),
        ("data: { a: { url: https://h2＠h.example } }", "data: { a: { url: https://••• } }"),
        (
            "data: { a: { url: https://u:1234/h2/@h.example/x } }",
            "data: { a: { url: https://••• } }"
        ),
        ("data: { a: { url: https://h/a%3Fk%3dh2 } }", "data: { a: { url: https://h/a••• } }"),
        ("data: { a: { headers: { A b h2: x } } }", "data: { a: { headers: { •••: ••• } } }"),
        ("data: { a: { url: hunter2 } }", "data: { a: { url: ••• } }"),
        ("data: { a: { url:https://h.example/, x: 1 } }", "data: { a: { url:•••, x: 1 } }"),
        ("a: 1 # hunter2", "a: 1 # •••"), ("a: &hunter2 1", "a: ••• 1"),
        ("a: !hunter2 1", "a: ••• 1"), ("a: ${env.A:-hunter2}", "a: ${env.A:-•••"),
        ("a: ${env.A-hunter2}", "a: •••"), ("a: ${hunter2}", "a: •••"),
        ("a: |\n  hunter2\n  two\nb: 1", "a: •••\n  •••\n  •••\nb: 1"),
        ("a: \"hunter2\n  two\"\nb: 1", "a: \"•••\n  •••\"\nb: 1"),
        ("a: \"hun\\x74er2\"", "a: \"•••\""), ("ключ: hunter2", "ключ: •••"),
        ("? [hunter2]\n: 1", "? [•••]\n: 1"), ("two words: hunter2", "two words: •••"),
        ("data: { a: { command: [c, hunter2] } }", "data: { a: { command: [•••, •••] } }"),
        ("downloads: { a: { to: out/x } }", "downloads: { a: { to: ••• } }"),
        ("secrets: { a: { env: hunter2 } }", "secrets: { a: { env: ••• } }"),
        ("variables: { pin: 1234 }", "variables: { pin: ••• }"),
    ])
    func `everything else is hidden`(file: String, shown: String) throws {
        #expect(try Self.shown(of: file) == shown)
    }

    @Test(arguments: [
        ("downloads: { a: { to: one x!y } }", "one x!y", true),
        ("data: { a: { session: mian } }", "mian", true),
        ("data: { a: { retry: fast } }", "fast", true),
        ("data: { a: { url: https:/h/x } }", "https:/h/x", true),
        ("uploads: { a: { json: { to: 1 } } }", "to", true),
        ("data: { a: { capture: { token: /access_token } } }", "/access_token", true),
        ("data: { a: { capture: { t: { regex: 'a(b' } } } }", "(b", true),
        ("data: { a: { headers: { X: hunter2 } } }", "hunter2", false),
        ("variables: { name: hunter2 }", "hunter2", false),
        ("data: { a: { url: https://h/?k=x1 } }", "?k=x1", false),
        ("data: { a: { url: hunter2 } }", "hunter2", false),
        ("downloads: { a: { to: b:hunter2@h } }", "hunter2", false),
        ("data: { a: { priority: '${env.X:-hunter2}' } }", "hunter2", false),
        (
            "sessions: { s: { credentials: [{ method: clientCertificate, key: hunter2 }] } }",
            "hunter2", false
        ),
    ])
    func `the value that a diagnostic is about is shown unless its key can hold a credential`(
        file: String,
        part: String,
        isShown: Bool
    ) throws {
        let text = try Self.shown(of: file, [try Self.range(of: part, in: file)])
        #expect(text.contains(part) == isShown, "\(text)")
    }

    private static func range(of part: String, in file: String) throws -> SourceRange {
        let found = try #require(file.ranges(of: part).last)
        let column = file.distance(from: file.startIndex, to: found.lowerBound) + 1
        return SourceRange(
            start: SourcePosition(line: 1, column: column),
            end: SourcePosition(line: 1, column: column + part.count)
        )
    }

    /// The message of a diagnostic about a part of the only line of a file.
    private static func shown(
        _ message: String,
        about part: String,
        in file: String
    ) throws -> String? {
        let document = try #require(Document.parse(Array(file.utf8), name: "job.yaml").document)
        let range = try range(of: part, in: file)
        let diagnostic = Diagnostic(code: "x.y", message, at: range)
        return FileDiagnostics(showing: [diagnostic], of: document).diagnostics.first?.message
    }

    @Test(arguments: [
        ("`a` has `x hunter2 y`", "`a` has `x •••`"), ("`HUNTER2`", "`•••`"),
        ("`htps://h/?hun%74er2`", "`•••`"), ("`hunt…`", "`•••`"),
        ("write `[program, argument]`", "write `[program, argument]`"),
        ("unknown `data` in `main`", "unknown `data` in `main`"),
    ])
    func `a message quotes no word that its lines hide`(message: String, shown: String) throws {
        let file = "variables: { a: hunter2, b: data, main: 1 }"
        #expect(try Self.shown(message, about: "main", in: file) == shown)
    }

    @Test(arguments: [
        ("`hunter2`", "`•••`"), ("`5x` is no `apple`", "`5x` is no `•••`"),
        ("`main[hunter]` is `${var.x}`", "`main[hunter]` is `${var.x}`"),
        ("`htps://h/a?k=x`", "`htps://h/a•••`"), ("`main` is `required`", "`main` is `required`"),
    ])
    func `a message about a value that is filled in quotes only what its lines show`(
        message: String,
        shown: String
    ) throws {
        let file = "variables: { main: \"${env.X}\" }"
        #expect(try Self.shown(message, about: "${env.X}", in: file) == shown)
    }
}
