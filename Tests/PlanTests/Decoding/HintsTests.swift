import Testing

@testable import Plan

@Suite struct HintsTests {
    @Test func `hints end when 50,000 names were compared`() {
        var hints = Hints()
        let names = (0..<1000).map { "name\($0)" }
        for _ in 0..<50 { #expect(hints.nearest("name0x", among: names) != nil) }
        #expect(hints.nearest("name0x", among: names) == nil)
    }

    @Test(arguments: [("yes", "true"), ("Off", "false"), ("maybe", nil)])
    func `a word for a truth value is recognized`(text: String, meant: String?) {
        #expect(Hints.likelyBoolean(text) == meant)
    }

    @Test(arguments: [("007", "7"), ("1_000", "1000"), ("-01.5", "-1.5"), ("7s", nil)])
    func `a number is recognized behind zeros and underscores`(text: String, meant: String?) {
        #expect(Hints.likelyNumber(text) == meant)
    }

    @Test func `a number that is not offered is no misspelling of another number`() {
        #expect(Hints.likelyChoice("1.4", among: ["1.2", "1.3"]) == nil)
        #expect(Hints.likelyChoice("yes", among: ["true", "false"]) == "true")
    }
}
