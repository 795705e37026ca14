import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct PartialFoldersTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.makeFolder("a")
        try folder.makeFolder("b")
    }

    private func file(_ name: String) -> TaskSpec.Destination {
        .init(path: folder.path(name), displayPath: name)
    }

    @Test func `only partial files with a record are searched`() throws {
        try folder.write("", to: "a/.x.part.record")
        try folder.write("", to: "a/.y.part")
        var folders = PartialFolders()
        let found = ["a/x", "a/y", "b/x", "none/x", "a/x"].map { folders.mayHave(file($0)) }
        #expect(found == [true, false, false, false, true])
    }

    @Test func `a leftover temporary name of a killed run is removed`() throws {
        try folder.write("", to: "a/one")
        let left = TemporaryName.make(for: "x", inode: try folder.inode(of: "a/one"))
        let other = TemporaryName.make(for: "x", inode: 1)
        let move = Command("mv", ["a/one", "a/\(left)"], workingFolder: folder.path)
        #expect(try move.run().status == .exit(0))
        try folder.write("theirs", to: "a/\(other)")
        try folder.write("", to: "a/.y.part.record")
        var folders = PartialFolders()
        let found = ["a/x", "a/y"].map { folders.mayHave(file($0)) }
        #expect(found == [false, true])
        #expect(try folder.list("a").sorted() == [".y.part.record", other].sorted())
    }

    /// A kill between link(2) and unlink(2), and one between the publication and the record's end.
    @Test(arguments: [true, false])
    func `a record of a published file goes with the other name of the file`(
        hasOtherName: Bool
    ) throws {
        try folder.write("whole", to: "a/x")
        try folder.write("", to: "a/.x.part.record", mode: 0o600)
        if hasOtherName {
            let link = Command("ln", ["a/x", "a/.x.part"], workingFolder: folder.path)
            #expect(try link.run().status == .exit(0))
        }
        var folders = PartialFolders()
        let found = folders.mayHave(file("a/x"))
        #expect(!found)
        #expect(try folder.list("a") == ["x"])
    }

    @Test func `a folder is scanned once`() throws {
        var folders = PartialFolders()
        var found = ["a/x", "b/x"].map { folders.mayHave(file($0)) }
        try folder.write("", to: "a/.x.part.record")
        found.append(folders.mayHave(file("a/x")))
        #expect(found == [false, false, false])
    }

    @Test func `a folder with very many names is scanned only for many files`() throws {
        for number in 0...4096 { try folder.write("", to: "a/\(number)") }
        var folders = PartialFolders()
        let first = folders.mayHave(file("a/x"))
        #expect(first)
        // As soon as that is sooner done than to look for each of them.
        let asked = (0..<300).map { _ in folders.mayHave(file("a/x")) }
        #expect(asked.firstIndex(of: false) == 256)
        let other = folders.mayHave(file("b/x"))
        #expect(!other)
        let last = folders.mayHave(file("a/y"))
        #expect(!last)
    }
}
