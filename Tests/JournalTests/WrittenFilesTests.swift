import SystemKit
import TestSupport
import Testing

@testable import Journal

@Suite struct WrittenFilesTests {
    private static let name = "written/job.journal"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(mostFiles: Int = 100) throws -> WrittenFiles {
        try WrittenFiles(in: folder.path("written"), name: "job.journal", mostFiles: mostFiles)
    }

    private func write(_ name: String, _ text: String = "text") throws -> InputFile.Identity {
        let path = try folder.write(text, to: name)
        return try #require(InputFile.Identity(at: path))
    }

    /// Writes and notes a file.
    private func publish(_ name: String, by files: WrittenFiles) throws {
        try files.note(folder.path(name), write(name), of: "t")
    }

    /// Whether the job wrote the present file of that name.
    private func has(_ name: String, _ files: WrittenFiles) -> Bool {
        InputFile.Identity(at: folder.path(name)).map { files.has(folder.path(name), $0, of: "t") }
            == true
    }

    @Test func `without a note there is no file of the job, and no journal`() throws {
        let files = try open()
        _ = try write("a")
        #expect(!has("a", files))
        #expect(try folder.list() == ["a"])
    }

    @Test func `a later run finds the file that an earlier run wrote`() throws {
        try publish("a", by: open())
        #expect(try has("a", open()))
        #expect(try folder.mode(of: Self.name) == 0o600)
        #expect(try folder.mode(of: "written") == 0o700)
    }

    @Test func `a file that was changed, replaced or renamed since is not the job's`() throws {
        for name in ["a", "b", "c"] { try publish(name, by: open()) }
        _ = try write("a", "longer")
        let moved = try Command("mv", [folder.path("b"), folder.path("d")]).run()
        #expect(moved.status == .exit(0))
        _ = try write("new")
        let replaced = try Command("mv", [folder.path("new"), folder.path("c")]).run()
        #expect(replaced.status == .exit(0))
        let files = try open()
        #expect(["a", "b", "c", "d"].filter { has($0, files) }.isEmpty)
    }

    @Test func `the properties decide one by one`() throws {
        let files = try open()
        let path = folder.path("a")
        let own = try write("a")
        try files.note(path, own, of: "t")
        var others = [own, own, own]
        others[0].size += 1
        others[1].inode += 1
        others[2].modificationNanoseconds += 1
        #expect(others.filter { files.has(path, $0, of: "t") }.isEmpty)
        #expect(files.has(path, own, of: "t"))
        #expect(!files.has(path, own, of: "another"))
    }

    @Test func `all paths to a folder count as one`() throws {
        try folder.makeFolder("real")
        try folder.link("link", to: "real")
        try publish("real/a", by: open())
        #expect(try has("link/a", open()))
    }

    @Test func `runs side by side keep each other's notes`() throws {
        let (one, other) = (try open(), try open())
        try publish("a", by: one)
        try publish("b", by: other)
        try publish("c", by: one)
        let third = try open()
        #expect(["a", "b", "c"].allSatisfy { has($0, third) })
    }

    @Test func `a long journal is shortened, also beside a run that uses it`() throws {
        let one = try open()
        for _ in 0..<1_200 { try publish("a", by: one) }
        let long = try folder.read(Self.name).count
        let other = try open()
        #expect(try folder.read(Self.name).count < long / 100)
        #expect(has("a", other) && has("a", one))
        try publish("b", by: other)
        try publish("c", by: one)
        let third = try open()
        #expect(["a", "b", "c"].allSatisfy { has($0, third) })
    }

    @Test func `the oldest files are forgotten first`() throws {
        let files = try open()
        for name in ["a", "b", "c"] { try publish(name, by: files) }
        try publish("a", by: files)
        let next = try open(mostFiles: 2)
        #expect(!has("b", next))
        #expect(has("a", next) && has("c", next))
    }

    @Test(arguments: 1...24)
    func `an incomplete last note is lost, and the next run notes behind the others`(
        missing: Int
    ) throws {
        let files = try open()
        for name in ["a", "b"] { try publish(name, by: files) }
        try folder.write(folder.read(Self.name).dropLast(missing), to: Self.name, mode: 0o600)
        let next = try open()
        #expect(has("a", next) && !has("b", next))
        try publish("c", by: next)
        let last = try open()
        #expect(has("a", last) && !has("b", last) && has("c", last))
    }

    @Test func `a command that only reads leaves an incomplete journal as it is`() throws {
        let files = try open()
        for name in ["a", "b"] { try publish(name, by: files) }
        let cut = try Array(folder.read(Self.name).dropLast())
        try folder.write(cut, to: Self.name, mode: 0o600)
        let reader = try WrittenFiles(
            in: folder.path("written"),
            name: "job.journal",
            isReadOnly: true
        )
        #expect(has("a", reader))
        #expect(try folder.read(Self.name) == cut)
    }

    @Test func `a damaged journal has no file, and is begun anew`() throws {
        try publish("a", by: open())
        try folder.write("runner journal", to: Self.name, mode: 0o600)
        let files = try open()
        #expect(!has("a", files))
        try publish("b", by: files)
        #expect(try has("b", open()))
    }

    @Test func `a journal of a later version or of others is not touched`() throws {
        try publish("a", by: open())
        var bytes = try folder.read(Self.name)
        try folder.write(bytes, to: Self.name, mode: 0o666)
        #expect(throws: JournalFault.self) { try open() }
        bytes[JournalText.name.count] = JournalText.version + 1
        try folder.write(bytes, to: Self.name, mode: 0o600)
        #expect(throws: JournalFault.self) { try open() }
        #expect(try folder.read(Self.name) == bytes)
    }

    @Test func `a journal that cannot be shortened is used as it is`() throws {
        let files = try open()
        for name in ["a", "b"] { try publish(name, by: files) }
        let cut = try Array(folder.read(Self.name).dropLast())
        try folder.write(cut, to: Self.name, mode: 0o600)
        let lock = try FileLock(
            in: Folder(path: folder.path("written"), create: false),
            name: "job.journal.lock"
        )
        #expect(try lock.take())
        let next = try open()
        withExtendedLifetime(lock) {}
        #expect(has("a", next) && !has("b", next))
        #expect(try folder.read(Self.name) == cut)
    }

    @Test func `a note that another process keeps from the file is lost with a fault`() throws {
        let files = try open()
        try publish("a", by: files)
        let lock = try FileLock(
            in: Folder(path: folder.path("written"), create: false),
            name: "job.journal.lock"
        )
        #expect(try lock.take())
        let own = try write("b")
        #expect(throws: JournalFault.self) { try files.note(folder.path("b"), own, of: "t") }
        withExtendedLifetime(lock) {}
        // The run itself knows its file.
        #expect(has("b", files) && has("a", files))
        let next = try open()
        #expect(!has("b", next) && has("a", next))
    }
}
