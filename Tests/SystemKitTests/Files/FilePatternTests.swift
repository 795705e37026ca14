import SystemKit
import TestSupport
import Testing

@Suite struct FilePatternTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["b.yaml", "a.yaml", "[c].yaml", ".hidden.yaml", "note.txt"] {
            try folder.write("", to: name)
        }
        try folder.makeFolder("more")
        try folder.write("", to: "more/d.yaml")
    }

    private func expand(_ pattern: String) throws -> [String] {
        try FilePattern.expand(folder.path(pattern)).map {
            String($0.dropFirst(folder.path.utf8.count + 1))
        }
    }

    @Test(
        arguments: [
            ("*.yaml", ["[c].yaml", "a.yaml", "b.yaml"]),
            ("?.yaml", ["a.yaml", "b.yaml"]),
            ("[b-z].yaml", ["b.yaml"]),
            ("*/*.yaml", ["more/d.yaml"]),
            ("a.yaml", ["a.yaml"]),
            ("missing.yaml", ["missing.yaml"]),
            ("*.yml", []),
            ("nowhere/*.yaml", []),
        ] as [(String, [String])]
    )
    func `a pattern expands to its matching files, sorted`(
        pattern: String,
        expected: [String]
    ) throws {
        #expect(try expand(pattern) == expected)
    }

    @Test func `a file whose name looks like a pattern is that file`() throws {
        #expect(try expand("[c].yaml") == ["[c].yaml"])
    }
}
