import Diagnostics
import JobFile
import RegexKit
import SystemKit
import Testing
import TransferModel

@testable import Plan

/// Values in URLs: a table of values, the parts of the URL that hold them, and their origins.
@Suite struct FilledURLTests {
    /// The origin of a value.
    enum Source: CaseIterable {
        case capture, item, row, environment, variable, secret
    }

    /// A part of a URL, with the text around the value.
    enum Place: CaseIterable {
        case user, host, port, segment, wholePath, queryName, queryValue, fragment

        var around: (front: String, back: String) {
            switch self {
            case .user: ("https://", "@example.com/p?k=l#f")
            case .host: ("https://", ".example.com/p?k=l#f")
            case .port: ("https://example.com:", "/p?k=l#f")
            case .segment: ("https://example.com/a/", "/b?k=l#f")
            case .wholePath: ("https://example.com/", "?k=l#f")
            case .queryName: ("https://example.com/p?", "=l&m=n#f")
            case .queryValue: ("https://example.com/p?k=", "&m=n#f")
            case .fragment: ("https://example.com/p?k=l#", "")
            }
        }
    }

    private static let values: [String] =
        [":", "/", "?", "#", "[", "]", "@", "!", "$", "&", "'", "(", ")", "*", "+", ",", ";", "="]
        .map { "a\($0)b" } + [
            "", "7", "8080", "a-b", ".", "..", "a/..", "../a", "a/./b", "a//b", "/",
            "//evil.test/x",
            "%", "%2F", "%00", "%2e%2e", "a b", "a\\b", "..\\..", "a\u{0}b", "a\r\nX: y", "a\tb",
            "\"<>^`{|}", "https://evil.test/", "evil.test/x", "me:pw@evil.test", ".evil.test", "-",
            "x/../../admin/delete?all=1&", "A#1", "q?r", "bücher", "שלום", "e\u{301}", "/\u{301}",
            "\u{202E}txt", "\u{FF0F}", "\u{2024}\u{2024}", "日本語", "😀",
            String(repeating: "a", count: 8 << 10), String(repeating: "é/", count: 4 << 10),
        ]

    /// Whether the URL is requested; nil where this table does not say.
    private static func isAsked(_ value: String, in place: Place, from source: Source) -> Bool? {
        let bytes = Array(value.utf8)
        if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return false }
        if source == .secret, bytes.isEmpty { return nil }
        let isLabel = bytes.allSatisfy {
            (48...57).contains($0) || (97...122).contains($0 | 0x20) || $0 == 0x2D
        }
        switch (place, source) {
        case (.user, _), (.host, .secret), (.port, .secret), (.port, .capture): return false
        case (.host, .capture): return isLabel && !bytes.isEmpty
        case (.host, _):
            if bytes.isEmpty || bytes.contains(where: { $0 >= 0x80 }) { return nil }
            // No label of a name is empty.
            let labels = bytes.split(separator: 0x2E, omittingEmptySubsequences: false)
            return isLabel || bytes.allSatisfy(isUnreserved) && !labels.dropLast().contains([])
        case (.port, _):
            guard bytes.allSatisfy({ (48...57).contains($0) }) else { return false }
            return bytes.isEmpty || (1...65535).contains(Int(value) ?? 0)
        case (.segment, .capture), (.wholePath, .capture):
            return !["", ".", ".."].contains(value)
        case (.segment, _), (.wholePath, _):
            return !bytes.split(separator: 0x2F).contains { $0.elementsEqual("..".utf8) }
        case (.queryName, _): return !bytes.contains(0x3D) && !bytes.contains(0x26)
        case (.queryValue, _), (.fragment, _): return true
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (97...122).contains(byte | 0x20) && byte < 0x80
            || "-._~".utf8.contains(byte)
    }

    /// Bytes that a value may have as they are.
    private static func mayStand(_ byte: UInt8, in place: Place, from source: Source) -> Bool {
        if isUnreserved(byte) || byte == UInt8(ascii: "%") { return true }
        guard source != .capture else { return false }
        let isInPath = place == .segment || place == .wholePath
        return (isInPath ? "!$&'()*+,;=:@/" : "!$'()*,:@/").utf8.contains(byte)
    }

    /// The five parts of a URL (RFC 3986, appendix B), by bytes.
    private static func parts(_ url: String) -> [[UInt8]] {
        var rest = Array(url.utf8)[...]
        func take(until ends: String) -> [UInt8] {
            let part = rest.prefix { !ends.utf8.contains($0) }
            rest = rest.dropFirst(part.count)
            return Array(part)
        }
        let scheme = take(until: ":/?#")
        rest = rest.dropFirst("://".utf8.count)
        return [scheme, take(until: "/?#"), take(until: "?#"), take(until: "#"), Array(rest)]
    }

    /// A text in double quotes, as JSON and YAML have it.
    private static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where scalar.value < 0x20:
                "\\u" + UInt32(scalar.value).padded(to: 4, radix: 16)
            default: String(scalar)
            }
        }
        return "\"\(scalars.joined())\""
    }

    /// The URL of a task with the value in that place.
    private static func url(
        _ value: String,
        in place: Place,
        from source: Source
    ) throws -> TransferURL {
        let (front, back) = place.around
        let expression =
            switch source {
            case .capture: "${task.a.v}"
            case .item, .row: "${item.v}"
            case .environment: "${env.V}"
            case .variable: "${var.v}"
            case .secret: "${secret.s}"
            }
        var settings = "url: \"\(front)\(expression)\(back)\""
        var head = ""
        switch source {
        case .capture: settings += ", needs: [a]"
        case .item: settings += ", forEach: { items: [{ id: x, v: \(quoted(value)) }] }"
        case .row: settings += ", forEach: { jsonLines: rows.ndjson }"
        case .environment: break
        case .variable: head = "variables: { v: \(quoted(value)) }"
        case .secret: head = "secrets: { s: { env: S, allowInURL: true } }"
        }
        let text = """
            version: 1
            \(head)
            data:
              a: { url: "https://example.com/", capture: { v: { json: /v } } }
              b: { \(settings) }
            """
        let rows = #"{"id":"x","v":\#(quoted(value))}"#
        let options = PlanOptions {
            $0.environment = source == .environment ? ["V": value] : [:]
            $0.workingFolder = "/jobs"
            $0.fileStatus = { _ in .readable }
            $0.patternFault = RegularExpression.fault
            $0.dataFile = { _ in MemoryFile(rows) }
        }
        let parsed = Document.parse(Array(text.utf8), name: "test.yaml")
        guard let document = parsed.document else {
            throw PlanRejected(diagnostics: parsed.diagnostics)
        }
        var plan = try Plan.make(from: document, options: options)
        if source == .secret { plan = try plan.with(["s": Secret(value)]) }
        let captured = source == .capture ? [0: [CapturedValue("v", value)]] : [:]
        return try plan.task(at: 1, captured: captured).request.url
    }

    @Test(arguments: Place.allCases, Source.allCases)
    func `a value stays in the part of the URL in which it stands, or is refused at its place`(
        place: Place,
        source: Source
    ) throws {
        let (front, back) = place.around
        let mark = "VALUE"
        let written = Self.parts(front + mark + back)
        for value in Self.values {
            let name = String(value.prefix(40))
            let expected = Self.isAsked(value, in: place, from: source)
            do {
                let url = try Self.url(value, in: place, from: source)
                #expect(expected != false, "\(name) is asked for: \(url.text.prefix(100))")
                #expect(url.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(name)")
                try Self.check(Self.parts(url.text), written, value, place, source)
            } catch let rejected as PlanRejected {
                #expect(expected != true, "\(name) is refused: \(rejected)")
                // Neither YAML nor rows have a NUL.
                if value.utf8.contains(0) { continue }
                let codes = ["url-part", "bad-url", "secret-in-url", "missing-secret"]
                let first = try #require(rejected.diagnostics.first)
                #expect(codes.map { "job.\($0)" }.contains(first.code), "\(name): \(first)")
                #expect(first.range.start.line > 1)
            }
        }
    }

    /// Checks that all parts but one are as they are written, and that this one means the value.
    private static func check(
        _ found: [[UInt8]],
        _ written: [[UInt8]],
        _ value: String,
        _ place: Place,
        _ source: Source
    ) throws {
        let mark = Array("VALUE".utf8)
        for (part, expected) in zip(found, written) {
            guard let start = expected.indices.first(where: { expected[$0...].starts(with: mark) })
            else {
                #expect(part == expected, "\(value.prefix(40))")
                continue
            }
            let back = expected[(start + mark.count)...]
            #expect(part.starts(with: expected[..<start]))
            #expect(part.suffix(back.count).elementsEqual(back))
            let middle = part.dropFirst(start).dropLast(back.count)
            if place == .host, !value.utf8.allSatisfy({ $0 < 0x80 }) { continue }
            #expect(PercentCoding.decode(middle) == Array(value.utf8), "\(value.prefix(40))")
            #expect(middle.allSatisfy { mayStand($0, in: place, from: source) })
        }
    }

    /// The URL of one task with these variables, or the code of its first fault.
    private static func url(
        _ written: String,
        _ variables: [String: String] = [:],
        captured: String? = nil
    ) throws -> String {
        let text = """
            version: 1
            data:
              a: { url: "https://a.example/", capture: { v: { json: /v } } }
              b: { url: "\(written)", needs: [a] }
            """
        do {
            let plan = try TestJob.plan(text, variables: variables)
            let values = captured.map { [0: [CapturedValue("v", $0)]] } ?? [:]
            return try plan.task(at: 1, captured: values).request.url.text
        } catch let rejected as PlanRejected {
            return rejected.diagnostics.first?.code ?? ""
        }
    }

    @Test(arguments: [
        ("${var.v}/x", "https://b.example/a?b", "https://b.example/a?b/x"),
        ("${var.v}", "https://b.example/ü", "https://b.example/%C3%BC"),
        ("https://${var.v}/x", "b.example:8443", "https://b.example:8443/x"),
        ("https://${var.v}/x", "[::1]:8443", "https://[::1]:8443/x"),
        ("https://[${var.v}]/x", "::1", "https://[::1]/x"),
        ("http${var.v}://b.example/", "s", "https://b.example/"),
        ("http${var.v}://b.example/", "s://evil.test/?", "job.url-part"),
        ("https://b.example${var.v}", "/x/y?z", "https://b.example/x/y%3Fz"),
        ("https://b.example:1${var.v}", "/x", "https://b.example:1/x"),
        ("https://b.example${var.v}", ".evil.test/x", "job.url-part"),
        ("https://b.example${var.v}", "?q=1", "job.url-part"),
        ("https://b.example/.${var.v}/x", ".", "job.url-part"),
        ("https://b.example/%2e${var.v}/x", ".", "job.url-part"),
        ("https://b.example/a%2${var.v}", "F", "job.url-part"),
        ("https://b.example/a%${var.v}", "2F", "job.url-part"),
        ("https://b.example/a%2F${var.v}", "2F", "https://b.example/a%2F2F"),
        ("https://b.example/?${raw:var.v}", "a=1&b=2", "https://b.example/?a=1&b=2"),
        ("https://b.example/a/${raw:var.v}", "../b", "https://b.example/a/../b"),
        ("https://b.example/?${var.v}", "a=1", "job.url-part"),
    ])
    func `the job's own values may be URLs, hosts and paths in their places`(
        written: String,
        value: String,
        url: String
    ) throws {
        #expect(try Self.url(written, ["v": value]) == url)
    }

    @Test(arguments: [
        ("${task.a.v}", "https://b.example/x?y", "https://b.example/x?y"),
        ("${task.a.v}/x", "https://b.example", "job.url-part"),
        ("${raw:task.a.v}/x", "https://b.example", "https://b.example/x"),
        ("https://b.example${raw:task.a.v}", "/x?page=2", "https://b.example/x?page=2"),
        ("https://b.example${raw:task.a.v}", "?page=2", "https://b.example?page=2"),
        ("https://b.example${raw:task.a.v}", ".evil.test/", "job.url-part"),
        ("https://b.example${raw:task.a.v}", "@evil.test/", "job.url-part"),
        ("https://b.example${raw:task.a.v}", ":80@evil.test/", "job.url-part"),
        ("https://${raw:task.a.v}/", "evil.test", "job.url-part"),
        ("https://b.example/${raw:task.a.v}", "x/y?z", "https://b.example/x/y?z"),
        ("https://b.example/?k=${raw:task.a.v}", "1&l=2", "https://b.example/?k=1&l=2"),
        ("https://api.${task.a.v}/", "evil", "job.url-part"),
        ("https://${task.a.v}/", "localhost", "job.url-part"),
        ("https://${task.a.v}./", "localhost", "job.url-part"),
        ("https://x-${task.a.v}-y.b.example/", "7", "https://x-7-y.b.example/"),
        ("https://b.example${task.a.v}", "/x", "job.url-part"),
        ("https://b.example/${task.a.v:-a/b}", "", "https://b.example/a/b"),
        ("https://b.example/v${task.a.v}", "", "https://b.example/v"),
    ])
    func `a captured value chooses no origin and fills one part of a URL`(
        written: String,
        value: String,
        url: String
    ) throws {
        #expect(try Self.url(written, captured: value) == url)
    }

    @Test func `mirrors and lists of checksums are filled in like the URL`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            variables: { v: "A#1", up: "../x" }
            downloads:
              a:
                url: "https://a.example/${var.v}"
                mirrors: ["https://b.example/${var.v}"]
                checksum: { from: "https://c.example/${var.v}", algorithm: sha256 }
                to: a
            """
        )
        let task = try plan.task(at: 0)
        #expect(task.request.url.text == "https://a.example/A%231")
        #expect(task.mirrors.map(\.text) == ["https://b.example/A%231"])
        guard case .listed(let list)? = task.destination?.checksum else {
            Issue.record("there is no list")
            return
        }
        #expect(list.url.text == "https://c.example/A%231")
        #expect(
            try TestJob.faults(
                """
                version: 1
                variables: { up: "../x" }
                downloads:
                  a:
                    url: "https://a.example/"
                    mirrors: ["https://b.example/${var.up}"]
                    checksum: { from: "https://c.example/${var.up}", algorithm: sha256 }
                    to: a
                """
            ) == ["6:34 job.url-part", "7:42 job.url-part"]
        )
    }

    @Test func `a listing shows URLs as they are asked for, and raw values as what they are`()
        throws
    {
        let plan = try TestJob.plan(
            """
            version: 1
            variables: { v: "A#1", q: "a=1&b=2" }
            downloads:
              a:
                forEach: { items: ["q?r"] }
                url: "https://a.example/${var.v}/${item}?${raw:var.q}"
                mirrors: ["${env.BASE:-}/${var.v}"]
                to: a
            """,
            environment: ["BASE": "https://b.example"]
        )
        var text = ""
        PlanListing(plan).writeText { text += $0 }
        #expect(text.contains("https://a.example/A•••  (line 6)"))
        #expect(text.contains("[${env.BASE:-}•••${var.v}]  (line 7)"))
    }
}
