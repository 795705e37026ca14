import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct PartSplitterTests {
    /// The parts of a body as texts, with `|` for the end of a part and `.` for the end of all.
    private static func split(
        _ body: String,
        boundary: String = "b",
        by size: Int = .max
    ) throws -> String {
        try split(
            Array(body.utf8),
            contentType: "multipart/x-mixed-replace; boundary=\(boundary)",
            by: size
        )
    }

    private static func split(
        _ body: [UInt8],
        contentType: String,
        by size: Int = .max
    ) throws -> String {
        let head = ResponseHead(
            statusCode: 200,
            fields: HeaderFields([HeaderField(name: "Content-Type", value: contentType)])
        )
        var splitter = try PartSplitter(head)
        var text = ""
        func note() throws {
            while let event = try splitter.next() {
                switch event {
                case .begin(let fields): text += fields["x"].map { "<\($0)>" } ?? ""
                case .content(let range):
                    text += String(decoding: splitter.bytes[range], as: UTF8.self)
                case .end: text += "|"
                case .close: text += "."
                }
            }
        }
        var rest = body[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(size))
            rest = rest.dropFirst(piece.count)
            splitter.push(piece.span)
            try note()
        }
        splitter.finish()
        try note()
        return text + (splitter.isInPart ? "…" : "")
    }

    @Test(arguments: [
        // One part, two parts, a preamble and an epilogue.
        ("--b\r\n\r\none\r\n--b--\r\n", "one|."),
        ("--b\r\nX: 1\r\n\r\none\r\n--b\r\nX: 2\r\n\r\ntwo\r\n--b--", "<1>one|<2>two|."),
        ("hello\r\n--b \t\r\n\r\none\r\n--b--  \r\nbye --b\r\n\r\nno", "one|."),
        // Line feeds alone.
        ("--b\nX: 1\n\none\n--b\n\ntwo\n--b--\n", "<1>one|two|."),
        // Empty parts, with and without the line break of their own.
        ("--b\r\n\r\n\r\n--b\r\n\r\n--b--", "||."),
        // Contents that look like delimiters.
        (
            "--b\r\n\r\n--bc\r\n--\r\n-\r\n\r--b\r\n--b x\r\n--b-\r\n--b--",
            "--bc\r\n--\r\n-\r\n\r--b\r\n--b x\r\n--b-|."
        ),
        ("--b\r\n\r\none\r\r\n--b--", "one\r|."),
        // Lengths: contents may hold delimiters.
        ("--b\r\nContent-Length: 9\r\n\r\na\r\n--b\r\nb\r\n--b--", "a\r\n--b\r\nb|."),
        (
            "--b\r\nContent-Length: 3\r\n\r\none\r\n\r\n--b\r\ncontent-length: 0\r\n\r\n\r\n--b--",
            "one||."
        ),
        // Ends within a part, within a head, behind a part with a length, and without a part.
        ("--b\r\n\r\none\r\n--b\r\n\r\ntw", "one|tw…"),
        ("--b\r\n\r\none\r\n--", "one\r\n--…"),
        ("--b\r\nX: 1\r\n", "…"),
        ("--b\r\nContent-Length: 3\r\n\r\none", "one|"),
        ("--b\r\nContent-Length: 4\r\n\r\none", "one…"),
        ("--b--", "."),
        ("nothing", ""),
        ("", ""),
    ])
    func `a body has the same parts in whatever pieces it arrives`(
        body: String,
        parts: String
    ) throws {
        #expect(try Self.split(body) == parts)
        for size in 1...7 { #expect(try Self.split(body, by: size) == parts, "\(size)") }
    }

    @Test(arguments: [
        ("multipart/x-mixed-replace; Boundary=\"a b\"", "--a b\r\n\r\none\r\n--a b--"),
        ("multipart/x-mixed-replace;x=y; boundary = abc ; z", "--abc\r\n\r\none\r\n--abc--"),
        // Cameras declare the delimiter in place of the boundary.
        ("multipart/x-mixed-replace; boundary=--abc", "--abc\r\n\r\none\r\n--abc--"),
        ("multipart/x-mixed-replace; boundary=--abc", "----abc\r\n\r\none\r\n----abc--"),
    ])
    func `boundaries are read in all their spellings`(contentType: String, body: String) throws {
        for size in [1, 1000] {
            #expect(try Self.split(Array(body.utf8), contentType: contentType, by: size) == "one|.")
        }
    }

    @Test(arguments: [
        "", "; boundary=", "; boundary=\"\"", "; boundary=\"a", "; boundary=a\\b", "; charset=b",
        "; boundary=\u{1}", "; boundary=é", "; boundary=\"a \"",
        "; boundary=" + String(repeating: "x", count: 71),
    ])
    func `a response without a usable boundary is refused`(parameters: String) {
        #expect(throws: PartFault.self) {
            try Self.split([], contentType: "multipart/x-mixed-replace\(parameters)")
        }
    }

    @Test(arguments: [
        String(repeating: "x\r\n", count: 30_000),
        String(repeating: "x", count: 70_000),
        "--b\r\nX: " + String(repeating: "x", count: 20_000),
        "--b\r\n" + String(repeating: "X: 1\r\n", count: 101) + "\r\n",
        "--b\r\nno field\r\n\r\n", "--b\r\n: x\r\n\r\n", "--b\r\nX\u{1}: x\r\n\r\n",
        "--b\r\nX: a\u{1}b\r\n\r\n", "--b\r\n folded: x\r\n\r\n", "--b\r\n--b\r\n",
        "--b\r\nContent-Length: -1\r\n\r\n", "--b\r\nContent-Length: 1x\r\n\r\n",
        "--b\r\nContent-Length: 9999999999999999999\r\n\r\n",
        "--b\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "--b\r\nContent-Length: 1\r\n\r\nabc\r\n--b--",
        "--b\r\nContent-Length: 1\r\n\r\na" + String(repeating: "x", count: 300),
    ])
    func `hostile parts end with a fault`(body: String) {
        // Long bodies byte by byte would take minutes in a debug build.
        for size in [body.utf8.count > 1000 ? 500 : 1, 1000, .max] {
            #expect(throws: PartFault.self) { try Self.split(body, by: size) }
        }
    }

    @Test func `the splitter keeps no more than a line that may be a delimiter`() throws {
        let head = ResponseHead(
            statusCode: 200,
            fields: HeaderFields([
                HeaderField(name: "Content-Type", value: "multipart/x-mixed-replace; boundary=b")
            ])
        )
        var splitter = try PartSplitter(head)
        splitter.push(Array("--b\r\n\r\n".utf8).span)
        var random = SplitMix64(seed: 7)
        let alphabet = Array("\r\n-b x".utf8)
        var most = 0
        for _ in 0..<2000 {
            let piece = (0..<50).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            splitter.push(piece.span)
            most = max(most, splitter.bytes.count)
            do { while try splitter.next() != nil {} } catch { return }
        }
        #expect(most < 400)
    }

    @Test func `any body has the same parts in pieces and as a whole`() throws {
        var random = SplitMix64(seed: 11)
        let words = [
            "\r", "\n", "\r\n", "--", "--b", "--b--", "b", " ", "x", "X: 1", "\r\n\r\n",
            "Content-Length: 2",
        ]
        for _ in 0..<3000 {
            let body =
                "--b\r\n"
                + (0..<Int.random(in: 0...20, using: &random)).map { _ in
                    words.randomElement(using: &random) ?? ""
                }.joined()
            let whole = Result { try Self.split(body) }
            let size = Int.random(in: 1...5, using: &random)
            let pieces = Result { try Self.split(body, by: size) }
            switch (whole, pieces) {
            case (.success(let one), .success(let other)):
                #expect(one == other, "\(body.debugDescription)")
            case (.failure, .failure): break
            default: Issue.record("\(body.debugDescription) by \(size)")
            }
        }
    }
}
