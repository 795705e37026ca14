import SystemKit
import TestSupport
import Testing

@Suite struct FolderContentTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let script = "mkdir -p a/b a/empty && echo 1 > a/b/x && echo 2 > a/y && ln -s y a/l"
        try Self.run(script, in: folder)
    }

    private static func run(_ script: String, in folder: TemporaryFolder) throws {
        let shell = Command("sh", ["-c", "cd \"$1\" && \(script)", "sh", folder.path])
        #expect(try shell.run().status == .exit(0))
    }

    private func stamp() throws -> UInt64 {
        try #require(FolderContent(at: folder.path("a"))).stamp
    }

    @Test func `a folder that is read or renamed has the same content`() throws {
        let before = try stamp()
        try Self.run("cat a/y > /dev/null && mv a c && mv c a && touch a a/b", in: folder)
        #expect(try stamp() == before)
    }

    @Test(arguments: [
        "touch a/z", "mkdir a/empty/c", "rm a/y", "echo 3 >> a/y", "touch -d @1 a/b/x",
        "mv a/y a/b/y", "cp a/y c && mv c a/y", "ln -sf x a/l", "rmdir a/empty",
        "rmdir a/empty && touch a/empty",
    ])
    func `every change below a folder changes its content`(change: String) throws {
        let before = try stamp()
        try Self.run(change, in: folder)
        #expect(try stamp() != before)
    }

    @Test func `a file, and a missing folder, have no content`() {
        #expect(FolderContent(at: folder.path("a/y")) == nil)
        #expect(FolderContent(at: folder.path("none")) == nil)
    }
}
