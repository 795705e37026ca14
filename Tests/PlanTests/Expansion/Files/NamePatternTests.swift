import Testing

@testable import Plan

@Suite struct NamePatternTests {
    @Test(arguments: [
        ("a.html", "a.html", true), ("a.html", "b.html", false), ("*", "a", true),
        ("*.html", "a.html", true), ("*.html", ".html", false), (".*", ".html", true),
        ("*.html", "a.htm", false), ("a*b*c", "axxbyyc", true), ("a*b*c", "axxbyy", false),
        ("?", "é", true), ("?", "ab", false), ("[a-c]x", "bx", true), ("[a-c]x", "dx", false),
        ("[!a-c]x", "dx", true), ("[^a-c]x", "ax", false), ("[]]", "]", true),
        ("[*]", "*", true), ("[*]", "a", false), ("[a-]", "-", true), ("[{]", "{", true),
        ("e\u{301}", "\u{E9}", false), ("*\u{301}", "e\u{301}", true),
    ])
    func `a name matches a pattern`(pattern: String, name: String, matches: Bool) throws {
        let pattern = try NamePattern(pattern)
        #expect(pattern.matches(name, includesHidden: false) == matches)
    }

    @Test func `wildcards match hidden names on request`() throws {
        #expect(try NamePattern("*.html").matches(".html", includesHidden: true))
        #expect(try NamePattern("[.]a").matches(".a", includesHidden: true))
    }

    @Test func `many stars need no more than the product of both lengths`() throws {
        let pattern = try NamePattern(String(repeating: "*a", count: 100))
        #expect(!pattern.matches(String(repeating: "a", count: 254) + "b", includesHidden: false))
    }

    @Test(arguments: ["a**", "**a", "{a,b}", "a\\*", "[a", "[z-a]", "[]"])
    func `a pattern that means something else elsewhere is refused`(pattern: String) {
        #expect(throws: ValueFault.self) { try NamePattern(pattern) }
    }
}
