import Testing

@testable import Diagnostics

/// Messages hide confidential texts in their quotes, and nothing else.
@Suite struct ConfidentialQuotesTests {
    private static func redacted(_ message: String, _ texts: [String]) -> String {
        ConfidentialQuotes(texts, names: ["data", "token"], mark: "…!").redacted(message)
    }

    @Test(arguments: [
        ("`x hunter2 y` is no number", "`x …! y` is no number"),
        ("`HUNTER2pw` and `hunter`", "`…!` and `…!`"),
        ("`a%68unter2`", "`…!`"),
        ("`https://h/hunter2 pw?more`", "`https://h/…! pw?more`"),
        ("`a l…` and `a long` are", "`a l…` and `a long` are"),
        ("`x a long secre…` is", "`x …!…` is"),
    ])
    func `a quote loses the longest text that is confidential`(message: String, shown: String) {
        let texts = ["hunter", "hunter2", "hunter2pw", "a long secret text"]
        #expect(Self.redacted(message, texts) == shown)
    }

    @Test(arguments: [
        "unknown key `tries` in data `main`", "`data` in `token` is required",
        "did you mean `${env.retry}`?", "the keys are `token`, `data`",
    ])
    func `words, keys, ids and names of variables stay`(message: String) {
        #expect(Self.redacted(message, ["data", "token", "retry", "unknown", "keys"]) == message)
    }

    @Test func `a text with a backtick is found although it splits its quote`() {
        #expect(Self.redacted("`a`hunter2` is no number", ["a`hunter2"]) == "`…!` is no number")
        #expect(Self.redacted("`a`hunter2` is no number", ["hunter2"]) == "`a`…!` is no number")
    }

    @Test func `texts that overlap are hidden whole`() {
        #expect(Self.redacted("`xabcdefghy`", ["abcdef", "cdefgh"]) == "`x…!y`")
    }

    @Test func `a short text is found only as a word`() {
        #expect(Self.redacted("`tests/test.csv`", ["test"]) == "`tests/…!.csv`")
    }

    @Test func `many texts with one beginning cost a message little`() {
        let texts = (0..<20_000).map { "https://a.example/hooks/secret/\($0)" }
        let quotes = ConfidentialQuotes(texts, names: [], mark: "…!")
        let message = "`https://a.example/hooks/1` and `https://a.example/hooks/secret/19999`"
        let clock = ContinuousClock()
        let time = clock.measure {
            for _ in 0..<100 {
                #expect(quotes.redacted(message) == "`https://a.example/hooks/1` and `…!`")
            }
        }
        #expect(time < .seconds(10))
    }
}
