@testable import SystemKit
import TestSupport
import Testing

@Suite struct TemporaryNameTests {
    @Test(arguments: ["out.bin", "a", ".hidden", "ä b\n", String(repeating: "x", count: 255)])
    func `a temporary name belongs to one file alone`(name: String) {
        let temporary = TemporaryName.make(for: name, inode: 42)
        #expect(temporary.utf8.count <= 255)
        #expect(temporary.hasPrefix(".") && temporary.hasSuffix(".part"))
        #expect(TemporaryName.isWellFormed(temporary))
        #expect(TemporaryName.isOwn(temporary, inode: 42))
        #expect(!TemporaryName.isOwn(temporary, inode: 43))
        #expect(!TemporaryName.isOwn(".x" + temporary, inode: 42))
        #expect(TemporaryName.make(for: name, inode: 42) != temporary)
    }

    @Test(arguments: [
        "", ".part", ".out.bin.part", ".out.bin.part.record", ".out.bin.abc.part", "out.part",
        ".out.bin.00000000000000000000.PART", "..00000000000000000000.part",
        ".a00000000000000000000.part", ".a.0000000000000000000_.part",
    ])
    func `no other name counts as a temporary one`(name: String) {
        #expect(!TemporaryName.isWellFormed(name))
        #expect(!TemporaryName.isOwn(name, inode: 0))
    }

    @Test func `an empty file that was not claimed yet is a leftover, and one with content is not`()
        throws
    {
        let folder = try TemporaryFolder()
        let open = try Folder(path: folder.path, create: false)
        let names = (0..<2).map { _ in
            TemporaryName.make(for: "out", inode: TemporaryName.ofEmptyFile)
        }
        try folder.write("", to: names[0])
        try folder.write("x", to: names[1])
        #expect(names.map { Leftovers.remove($0, in: open) } == [true, false])
        #expect(try folder.list() == [names[1]])
    }

    @Test func `a folder that is set aside while another one takes its name is no leftover`() {
        #expect(!TemporaryName.isWellFormed(TemporaryName.make(for: "tree", inode: 42) + "-old"))
    }

    @Test(arguments: ["out", "\u{301}out", "\u{200D}", "\u{FE0F}x"])
    func `leftovers of a killed process are removed, and no similar files`(
        destination: String
    ) throws {
        let folder = try TemporaryFolder()
        let open = try Folder(path: folder.path, create: false)
        var name = ""
        do {
            let file = try OutputFile(in: open, name: destination, startsUnnamed: false)
            name = try #require(try folder.list().first)
            #expect(!Leftovers.remove(name, in: open))
            // It outlives its process under this name, which a killed one does not take away.
            let keep = Command("ln", [name, "kept"], workingFolder: folder.path)
            #expect(try keep.run().status == .exit(0))
            try file.write([1].span)
        }
        let copy = Command("cp", ["kept", name + "x"], workingFolder: folder.path)
        #expect(try copy.run().status == .exit(0))
        try folder.write("theirs", to: ".out.abc.part")
        let stranger = TemporaryName.make(for: "out", inode: 1)
        try folder.write("theirs", to: stranger)
        let back = Command("mv", ["kept", name], workingFolder: folder.path)
        #expect(try back.run().status == .exit(0))
        for found in try folder.list() where found != name {
            #expect(!Leftovers.remove(found, in: open))
        }
        // A child of another test briefly has all descriptors, and with them the lock.
        #expect((0..<1_000_000).contains { _ in Leftovers.remove(name, in: open) })
        #expect(try folder.list().sorted() == [".out.abc.part", name + "x", stranger].sorted())
    }
}
