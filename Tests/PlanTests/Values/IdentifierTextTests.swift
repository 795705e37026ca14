import Testing
import TransferModel

@testable import Plan

@Suite struct IdentifierTextTests {
    @Test(arguments: ["a", "nightly-orders.2_b", String(repeating: "x", count: 100)])
    func `letters, digits and some signs name a session`(text: String) throws {
        #expect(try IdentifierText.parse(text) == text)
        #expect(try Regex(IdentifierText.pattern).wholeMatch(in: text) != nil)
    }

    @Test(arguments: [
        "", ".", "..", ".a", "-a", "a/b", "../a", "a b", "ä", "a\n",
        String(repeating: "x", count: 101),
    ])
    func `an identifier that could name another file is an error`(text: String) throws {
        #expect(throws: ValueFault.self) { try IdentifierText.parse(text) }
        #expect(try Regex(IdentifierText.pattern).wholeMatch(in: text) == nil)
    }
}
