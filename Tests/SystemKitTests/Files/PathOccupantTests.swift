import SystemKit
import TestSupport
import Testing

@Suite struct PathOccupantTests {
    private func made(_ command: String...) throws -> (TemporaryFolder, String) {
        let folder = try TemporaryFolder()
        try folder.write("x", to: "file")
        if let name = command.first {
            let run = Command(name, Array(command.dropFirst()), workingFolder: folder.path)
            #expect(try run.run().status == .exit(0))
        }
        return (folder, folder.path("it"))
    }

    @Test func `a missing path has no occupant`() throws {
        let (folder, path) = try made()
        #expect(PathOccupant(at: path) == .nothing)
        #expect(PathOccupant(at: folder.path("file/it")) == .nothing)
        #expect(PathOccupant.nothing.fault(at: path) == nil)
    }

    @Test func `a file and a link to a file are files`() throws {
        let (folder, path) = try made("ln", "-s", "file", "it")
        #expect(PathOccupant(at: folder.path("file")) == .file)
        #expect(PathOccupant(at: path) == .file)
        #expect(PathOccupant.file.fault(at: path) == nil)
    }

    @Test func `a link that leads nowhere is told apart`() throws {
        let (folder, path) = try made("ln", "-s", "nowhere", "it")
        let occupant = PathOccupant(at: path)
        #expect(occupant == .danglingLink)
        let message = occupant.fault(at: path)?.message
        #expect(message?.hasSuffix("it is a symbolic link without a target") == true)
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: [
        ["mkdir", "it", "Is a directory"], ["mkfifo", "it", "it is a named pipe"],
        ["ln", "-s", ".", "it", "Is a directory"],
        ["ln", "-s", "/proc/self/fd/1", "it", "it is a link to an open stream"],
        ["ln", "-s", "/dev/null", "it", "it is a device"],
    ])
    func `an occupant that is no file is described`(words: [String]) throws {
        let folder = try TemporaryFolder()
        let words = words[...]
        let command = Command(
            try #require(words.first),
            Array(words.dropFirst().dropLast()),
            workingFolder: folder.path
        )
        #expect(try command.run().status == .exit(0))
        let path = folder.path("it")
        let message = PathOccupant(at: path).fault(at: path)?.message
        #expect(message?.contains(try #require(words.last)) == true)
    }
}
