import RegexKit
import Testing

@Suite struct RegularExpressionTests {
    private func found(_ pattern: String, in text: String) throws -> String? {
        let bytes = Array(text.utf8)
        let expression = try RegularExpression(pattern)
        guard case .found(let range) = expression.search(bytes.span) else { return nil }
        return String(decoding: bytes[range], as: UTF8.self)
    }

    @Test(arguments: [
        (#"\d+"#, "order 42 of 7", "42"),
        (#"value="([^"]*)""#, #"<input value="t0k3n"><input value="x">"#, "t0k3n"),
        ("(a)|(b)", "xa", "a"),
        ("gr(ö+)ße", "die gröööße", "ööö"),
        (".", "🙂", "🙂"),
        ("", "", ""),
        ("(x*)", "abc", ""),
        (#"(?m)^id: (\S+)$"#, "a: 1\nid: 2\n", "2"),
    ])
    func `the first group is found, or the whole match without one`(
        pattern: String,
        text: String,
        expected: String
    ) throws {
        #expect(try found(pattern, in: text) == expected)
    }

    @Test(arguments: [("x", "abc"), ("(a)|(b)", "b"), ("a", "")])
    func `a group without a part in the match counts as not found`(
        pattern: String,
        text: String
    ) throws {
        #expect(try found(pattern, in: text) == nil)
    }

    @Test func `bytes that are no text match nothing and end no search`() throws {
        let expression = try RegularExpression("id=(.+?);")
        let bytes = [0xFF, 0xC3] + Array("id=7;".utf8) + [0xE2, 0x82]
        #expect(expression.search(bytes.span) == .found(5..<6))
        let broken = Array("id=".utf8) + [0xFF] + Array("7;".utf8)
        #expect(expression.search(broken.span) == .notFound)
    }

    @Test(arguments: [
        ("a(b", 3), ("[z-a]", 3), ("a{2,1}", 5), ("*a", 0), (#"\C"#, 2), ("ä(?P<1>x)", 6),
    ])
    func `an invalid pattern has the place of its fault`(pattern: String, offset: Int) {
        do throws(RegularExpressionFault) {
            _ = try RegularExpression(pattern)
            Issue.record("\(pattern) was compiled")
        } catch {
            guard case .syntax(let message, let found) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(!message.isEmpty)
            #expect(found == offset, "\(message)")
        }
    }

    @Test func `a pattern has a longest length`() throws {
        let longest = String(repeating: "a", count: RegularExpression.longestPattern)
        _ = try RegularExpression(longest)
        #expect(throws: RegularExpressionFault.self) { _ = try RegularExpression(longest + "a") }
    }

    @Test func `a search with endless backtracking is stopped`() throws {
        let text = Array(repeating: UInt8(ascii: "a"), count: 100) + [UInt8(ascii: "!")]
        #expect(try RegularExpression("^(a+)+$").search(text.span) == .gaveUp)
    }

    @Test func `a search that reads far at many places is stopped`() throws {
        // Few steps at each place, and each reads to the end: only time bounds them together.
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 4 << 20)
        let expression = try RegularExpression("a+[bc]")
        #expect(expression.search(text.span, withinNanoseconds: 20_000_000) == .gaveUp)
    }
}
