@testable import SystemKit
import Testing

@Suite struct ArchiveTreeTests {
    private func add(
        _ entries: [ArchiveEntry],
        strip: Int = 0,
        most: Int = 100
    ) throws -> [ArchiveTree.Step] {
        var tree = ArchiveTree(stripComponents: strip, mostEntries: most, longestPath: 1000)
        return try entries.map { try tree.add($0) }
    }

    private func entry(
        _ name: String,
        _ kind: ArchiveEntry.Kind = .file,
        to target: String? = nil
    ) -> ArchiveEntry {
        ArchiveEntry(Array(name.utf8), kind, target: target.map { Array($0.utf8) })
    }

    @Test func `a file counts the folders that exist on its way`() throws {
        let steps = try add([
            entry("./", .folder), entry("a", .folder), entry("a//b/./c"), entry("a/b/d"),
            entry("a", .folder),
        ])
        #expect(
            steps == [
                .init(action: .nothing),
                .init(action: .makeFolder, path: ["a"]),
                .init(action: .writeFile, path: ["a", "b", "c"], knownFolders: 1),
                .init(action: .writeFile, path: ["a", "b", "d"], knownFolders: 2),
                .init(action: .nothing),
            ]
        )
    }

    @Test func `stripped names and targets of hard links lose the same parts`() throws {
        let steps = try add(
            [
                entry("top", .folder), entry("readme"), entry("top/a"),
                entry("top/b", .hardLink, to: "top/a"),
            ],
            strip: 1
        )
        #expect(
            steps == [
                .init(action: .nothing), .init(action: .nothing),
                .init(action: .writeFile, path: ["a"]),
                .init(action: .linkFile(["a"]), path: ["b"]),
            ]
        )
    }

    @Test(arguments: ["x", "../x", "../../x", "..", "x/y/z", "./../x", "../b/"])
    func `a target below the folder is accepted`(target: String) throws {
        let steps = try add([entry("a/b/link", .symbolicLink, to: target)])
        #expect(steps == [.init(action: .linkLast(target), path: ["a", "b", "link"])])
    }

    @Test(arguments: [
        ("../../../x", "its target leads out of the folder"),
        ("x/../../y", "its target has `..` after a name"),
        ("/etc/passwd", "its target is an absolute path"),
        ("", "its target is empty"),
        ("a\u{1B}b", "its target has a control character"),
    ])
    func `a target that may lead out is refused`(target: String, reason: String) throws {
        let link = entry("a/b/link", .symbolicLink, to: target)
        #expect(throws: ArchiveFault.refused("entry 1, `a/b/link`: \(reason)")) {
            try add([link])
        }
    }

    /// `u` would lead out through `s`, though the parts of its target seem to stay.
    @Test func `a climb behind a link is refused`() throws {
        let links = [
            entry("deep/er/s", .symbolicLink, to: "../.."),
            entry("u", .symbolicLink, to: "deep/er/s/.."),
        ]
        #expect(throws: ArchiveFault.refused("entry 2, `u`: its target has `..` after a name")) {
            try add(links)
        }
    }

    @Test func `names that differ in their bytes are different files`() throws {
        let steps = try add([entry("\u{E9}"), entry("e\u{301}"), entry("A"), entry("a")])
        #expect(steps.map(\.action) == [.writeFile, .writeFile, .writeFile, .writeFile])
    }

    @Test func `characters that libarchive replaced are refused`() throws {
        var inexact = entry("caf?")
        inexact.isInexact = true
        #expect(throws: ArchiveFault.refused("entry 1, `caf?`: its name is not UTF-8")) {
            try add([inexact])
        }
        #expect(try add([entry("caf?")]).count == 1)
    }

    @Test func `entries above the limit are refused`() throws {
        let fault = ArchiveFault.tooLarge("it has more than 2 entries (`maximumEntries`)")
        #expect(try add([entry("a"), entry("b")], most: 2).count == 2)
        #expect(throws: fault) { try add([entry("a"), entry("b"), entry("c")], most: 2) }
    }
}
