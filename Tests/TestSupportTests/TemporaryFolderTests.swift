import SystemKit
import TestSupport
import Testing

@Suite struct TemporaryFolderTests {
    @Test func `files keep their bytes and their mode`() throws {
        let folder = try TemporaryFolder()
        try folder.write([0, 255, 10], to: "a", mode: 0o640)
        try folder.write("text", to: ".hidden")
        try folder.makeFolder("below")
        #expect(try folder.read("a") == [0, 255, 10])
        #expect(try folder.mode(of: "a") == 0o640)
        #expect(try folder.text(".hidden") == "text")
        #expect(try folder.list() == [".hidden", "a", "below"])
        #expect(try folder.list("below") == [])
        #expect(folder.contains("a"))
        #expect(!folder.contains("b"))
        #expect(throws: SystemError.self) { try folder.read("b") }
    }

    @Test func `a folder goes with its last holder and leaves what its links point to`() throws {
        let other = try TemporaryFolder()
        try other.write("kept", to: "file")
        var folder: TemporaryFolder? = try TemporaryFolder()
        let path = try #require(folder?.path)
        try folder?.makeFolder("below")
        try folder?.write("x", to: "below/file")
        #expect(
            try Command("ln", ["-s", other.path, "\(path)/below/link"]).run().status == .exit(0)
        )
        folder = nil
        #expect(try Command("ls", [path]).run().status == .exit(2))
        #expect(try other.text("file") == "kept")
    }
}
