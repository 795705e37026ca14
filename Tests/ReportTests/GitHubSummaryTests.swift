import Testing

@testable import Report

@Suite struct GitHubSummaryTests {
    @Test(arguments: [
        ("www.evil.example/login", "`www.evil.example/login`"), ("GH-1", "`GH-1`"),
        ("<b>@all</b> [x](y)", "`<b>@all</b> [x](y)`"), ("a|b\\|c", "`a¦b\\¦c`"),
        ("`x`", "`` `x` ``"), ("a``b`", "``` a``b` ```"), ("", ""),
    ])
    func `a text of others is code without links and references`(text: String, shown: String) {
        #expect(GitHubSummary.code(text) == shown)
    }
}
