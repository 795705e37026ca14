import Testing

@testable import Plan

@Suite struct FilePathPatternTests {
    @Test(arguments: [
        ("/j/site/**", "/j/site"), ("/j/site/*/x", "/j/site"), ("/j/a.html", "/j"), ("/*", ""),
        ("/j/../k/?", "/j/../k"), ("/j/**/**/a", "/j"),
    ])
    func `the base is the folder before the first wildcard`(path: String, base: String) throws {
        #expect(try FilePathPattern(path).base == base)
    }

    @Test(arguments: [
        ("/s/**", "/s/a", true), ("/s/**", "/s/a/b/c", true), ("/s/**", "/t/a", false),
        ("/s/**/*.html", "/s/a.html", true), ("/s/**/*.html", "/s/x/y/a.html", true),
        ("/s/**/*.html", "/s/x/y/a.css", false), ("/s/*/a", "/s/x/a", true),
        ("/s/*/a", "/s/x/y/a", false), ("/s/**/x/**/a", "/s/x/a", true),
        ("/s/**/x/**/a", "/s/1/x/2/3/a", true), ("/s/**/x/**/a", "/s/1/2/3/a", false),
        ("/s/a", "/s/a", true), ("/s/a", "/s/a/b", false), ("/**/x", "/x", true),
    ])
    func `a path matches a pattern`(pattern: String, path: String, matches: Bool) throws {
        #expect(try FilePathPattern(pattern).matches(path) == matches)
    }

    @Test(arguments: ["/s/", "/s/*/..", "/s/**/../a"])
    func `a path that is no pattern of files is refused`(path: String) {
        #expect(throws: ValueFault.self) { try FilePathPattern(path) }
    }
}
