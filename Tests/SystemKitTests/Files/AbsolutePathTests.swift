import SystemKit
import Testing

@Suite struct AbsolutePathTests {
    @Test(arguments: [
        ("a/b", "/jobs/a/b"), ("/a/b", "/a/b"), ("./a//b/./c", "/jobs/a/b/c"),
        ("../a", "/jobs/../a"),
        (".hidden", "/jobs/.hidden"), ("//a", "/a"), ("a/.hidden", "/jobs/a/.hidden"),
    ])
    func `a path is absolute and without needless parts`(path: String, expected: String) {
        #expect(AbsolutePath.make(path, in: "/jobs") == expected)
    }

    @Test func `the root is a folder without a name`() {
        #expect(AbsolutePath.make("a", in: AbsolutePath.folder(of: "/job.yaml")) == "/a")
    }

    @Test(arguments: [
        ("/a/../b", "/b"), ("/../../a", "/a"), ("/a/b", "/a/b"), ("/a..b/c", "/a..b/c"),
        ("/a/b/..", "/a"),
    ])
    func `paths are compared without climbs`(path: String, expected: String) {
        #expect(AbsolutePath.withoutClimbs(path) == expected)
    }
}
