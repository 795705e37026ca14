import SystemKit
import Testing

@testable import Plan

@Suite struct FileWalkTests {
    @Test func `folders without an end are not walked for ever`() throws {
        var walk = FileWalk(try FilePathPattern("/s/**"), includesHidden: false)
        try walk.run { _, _ in .children([.init("folder", .folder), .init("file", .file)]) }
        // As many as the longest path has room for.
        #expect((1...600).contains(walk.files.count))
    }

    @Test func `a walk ends when all searches have seen too many names`() throws {
        let names = FileWalk.mostNames - 1
        var walk = FileWalk(try FilePathPattern("/s/**"), includesHidden: false, names: names)
        let fault = #expect(throws: FileWalk.Fault.self) {
            try walk.run { _, limit in
                limit < 2 ? .tooMany : .children([.init("a", .file), .init("b", .file)])
            }
        }
        guard case .tooMany? = fault else {
            Issue.record("another fault")
            return
        }
    }

    @Test func `a folder that vanishes has no files, a missing base is a fault`() throws {
        var walk = FileWalk(try FilePathPattern("/s/**"), includesHidden: false)
        try walk.run { path, _ in
            path == "/s" ? .children([.init("gone", .folder), .init("a", .file)]) : .missing
        }
        #expect(walk.files.map(\.relativePath) == ["a"])
        var other = FileWalk(try FilePathPattern("/s/**"), includesHidden: false)
        #expect(throws: FileWalk.Fault.self) { try other.run { _, _ in .missing } }
    }
}
