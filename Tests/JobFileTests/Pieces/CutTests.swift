import Testing

@testable import JobFile

@Suite struct CutTests {
    private func keys(
        _ text: String,
        head: Int = 0,
        piece: Int = 1,
        lead: Int = 0,
        window: Int = 20
    ) -> [String] {
        let bytes = Array(text.utf8)
        let measure = Cut.Measure(head: head, piece: piece, lead: lead, window: window)
        return Cut.all(in: bytes.span, by: measure).map { cut in
            String(decoding: bytes[cut.key...].prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
        }
    }

    @Test func `a text is cut at the line of least indentation in a window`() {
        let text = "a:\n    b: 1\n  c:\n    d: 1\n  e: 1\n"
        #expect(keys(text, window: 100) == ["c", "e"])
        #expect(keys(text, window: 12) == ["b", "c", "d", "e"])
    }

    @Test(arguments: [
        "a:\n  - b: 1\n    c: 1\n", "a:\n  \"b\": 1\n    c: 1\n", "a: 1\nb: 1\n", "a:\n\tb: 1\n",
        "a:\n  # b\n\n", "", "a", "{ a: 1 }", "a:\n  *b : 1\n    c: 1\n",
    ])
    func `a text without plain keys at the least indentation is not cut`(text: String) {
        #expect(keys(text, piece: 100, window: 100) == [])
    }

    @Test func `blank lines and comments have no indentation`() {
        #expect(keys("a:\n # x\n \n  b: 1\n") == ["b"])
    }

    @Test func `pieces have their planned length`() {
        let text = "a:\n" + (10..<90).map { "  k\($0): 1\n" }.joined()
        #expect(keys(text, head: 90, piece: 180) == ["k20", "k41", "k62", "k83"])
        // The thread that takes the second piece also reads the first and the third.
        #expect(keys(text, head: 90, piece: 90, lead: 90) == ["k20", "k31", "k52", "k63", "k84"])
    }
}
