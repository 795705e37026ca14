import SystemKit
import Testing

@testable import Plan

@Suite struct ShellPatternTests {
    @Test(
        arguments: [
            ("https://h/*.csv", "*", false), ("https://h/f{1..3}.csv", "{1..3}", true),
            ("https://h/f[1-9]", "[1-9]", true), ("https://h/f[a-z]", "[a-z]", false),
            ("https://h/{a,b}", "{a,b}", false), ("https://h/${env.A}/{1,2}", "{1,2}", true),
            ("https://[::1]/$top/{1..3}", "{1..3}", true),
        ] as [(String, String, Bool)]
    )
    func `patterns in the path of a URL are found`(url: String, pattern: String, isOfNumbers: Bool)
        throws
    {
        let found = try #require(ShellPattern.first(inPathOf: url))
        #expect(url.slice(found.range) == pattern)
        #expect(found.isOfNumbers == isOfNumbers)
    }

    @Test(arguments: [
        "", "*", "https://*.h/", "https://[1-9]/", "https://h/?q=*", "https://h/#{a,b}",
        "https://h/{a}",
        "https://h/{a.b}", "https://h/{1..", "https://h/{{a,b}}x", "https://h/${env.A:-a,b}",
        "https://h/[a]", "data:,{a,b}", "https://h/$",
    ])
    func `other text of a URL is no pattern`(url: String) {
        #expect(ShellPattern.first(inPathOf: url) == nil)
    }
}
