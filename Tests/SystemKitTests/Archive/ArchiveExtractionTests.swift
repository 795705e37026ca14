@testable import SystemKit
import TestSupport
import Testing

@Suite struct ArchiveExtractionTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.makeFolder("in")
    }

    private func extract(
        _ archive: [UInt8],
        to name: String = "in/out",
        replaces: Bool = false,
        strip: Int = 0,
        mayReplace: ((FolderContent) -> Bool)? = nil,
        limits: ArchiveLimits = ArchiveLimits(size: 1 << 30, entries: 1000, ratio: 200)
    ) throws -> ArchiveExtraction.Summary {
        let file = try OutputFile(in: Folder(path: folder.path, create: false), name: "archive")
        try file.write(archive.span)
        let target = ArchiveExtraction.Target(
            path: folder.path(name),
            replaces: replaces,
            stripComponents: strip,
            limits: limits,
            isDurable: true
        )
        return try ArchiveExtraction.extract(file, to: target, mayReplace: mayReplace)
    }

    private static let ordinary = """
        folder("./")
        folder("top/bin", 0o755)
        file("top/bin/tool", b"#!", 0o4755)
        file("top/\u{E9}.txt", b"text", 0o600)
        link("top/latest", "bin/tool")
        hard("top/second", "top/bin/tool")
        """

    @Test(arguments: ["tar", "tar.gz", "tar.bz2", "tar.xz", "zst"])
    func `files, folders and links of a tar archive are extracted`(format: String) throws {
        let archive =
            format == "zst"
            ? try TestArchive.compress(TestArchive.make(Self.ordinary), by: "zstd")
            : try TestArchive.make(Self.ordinary, format: format)
        let summary = try extract(archive)
        #expect(summary == .init(entries: 6, bytes: 6))
        #expect(try folder.list("in") == ["out"])
        #expect(try folder.list("in/out/top") == ["bin", "latest", "second", "\u{E9}.txt"])
        #expect(try folder.text("in/out/top/latest") == "#!")
        #expect(
            try folder.inode(of: "in/out/top/second") == folder.inode(of: "in/out/top/bin/tool")
        )
        // Without setuid.
        #expect(try folder.mode(of: "in/out/top/bin/tool") & 0o7700 == 0o700)
        #expect(try folder.mode(of: "in/out/top/\u{E9}.txt") == 0o600)
    }

    @Test func `a zip archive is extracted`() throws {
        let archive = try TestArchive.make(
            """
            zipped("a/", b"", 0o40755)
            zipped("a/tool", b"#!", 0o100755)
            zipped("a/\u{E9}", b"text")
            zipped("link", b"a/tool", 0o120777)
            """,
            format: "zip"
        )
        #expect(try extract(archive) == .init(entries: 4, bytes: 6))
        #expect(try folder.text("in/out/link") == "#!")
        #expect(try folder.text("in/out/a/\u{E9}") == "text")
    }

    /// Entries that an extraction must refuse, each after a harmless file, and the reason in words.
    static let hostile: [(entries: String, reason: String)] = [
        (#"file("/etc/evil")"#, "absolute path"),
        (#"file("//evil")"#, "absolute path"),
        (#"file("../evil")"#, "its name has `..`"),
        (#"file("a/../../evil")"#, "its name has `..`"),
        (#"file("a/..")"#, "its name has `..`"),
        (#"folder("..")"#, "its name has `..`"),
        (#"file(".")"#, "it names the folder itself"),
        (#"file("./.")"#, "it names the folder itself"),
        (#"link("l", "/etc"); file("l/evil")"#, "its target is an absolute path"),
        (#"link("l", "../.."); file("l/evil")"#, "its target leads out"),
        (#"link("l", "."); file("l/evil")"#, "its path goes through a link"),
        (#"link("l", "good"); file("l")"#, "a link of that path already"),
        (#"link("a/l", "../../evil")"#, "its target leads out"),
        (#"link("a/s", ".."); link("u", "a/s/../..")"#, "`..` after a name"),
        (#"link("l", "a\nb")"#, "its target has a control character"),
        (#"link("l", "l2"); hard("h", "l")"#, "its target is no earlier file"),
        (#"hard("h", "/etc/passwd")"#, "its target is an absolute path"),
        (#"hard("h", "../../secret")"#, "its target has `..`"),
        (#"hard("h", "later"); file("later")"#, "its target is no earlier file"),
        (#"hard("h", "h")"#, "its target is no earlier file"),
        (#"special("dev", tarfile.CHRTYPE)"#, "it is a device, a pipe or a socket"),
        (#"special("dev", tarfile.BLKTYPE)"#, "it is a device, a pipe or a socket"),
        (#"special("pipe", tarfile.FIFOTYPE)"#, "it is a device, a pipe or a socket"),
        (#"file("good")"#, "the archive has a file of that path already"),
        (#"file("./good")"#, "the archive has a file of that path already"),
        (#"folder("good")"#, "the archive has a file of that path already"),
        (#"folder("d"); file("d")"#, "the archive has a folder of that path already"),
        (#"file("good/below")"#, "its path goes through a file"),
        (#"file("a\nb")"#, "its name has a control character"),
        (#"file("\x1b[2Jb")"#, "its name has a control character"),
        (#"file("\x7f")"#, "its name has a control character"),
        (#"file("\udcff\udcfe")"#, "its name is not UTF-8"),
        (#"file("a/" + "n" * 256)"#, "a part of its name is longer than 255 bytes"),
        (#"file("n/" * 129 + "n")"#, "more than 128 parts"),
        (#"file(("n" * 200 + "/") * 30)"#, "longer than"),
        (#"file("many", b"x" * 2000)"#, "(`maximumSize`)"),
        (#"[file(str(n)) for n in range(20)]"#, "more than 15 entries"),
    ]

    @Test(arguments: hostile.indices)
    func `a hostile entry extracts nothing, inside or outside`(index: Int) throws {
        let (entries, reason) = Self.hostile[index]
        let archive = try TestArchive.make("file(\"good\")\n" + entries)
        let limits = ArchiveLimits(size: 1000, entries: 15, ratio: 200)
        let fault = #expect(throws: ArchiveFault.self) { try extract(archive, limits: limits) }
        let words: String? =
            switch fault {
            case .refused(let words)?, .tooLarge(let words)?: words
            default: nil
            }
        #expect(words?.contains(reason) == true, "\(entries): \(String(describing: fault))")
        #expect(words?.unicodeScalars.allSatisfy { $0.value >= 32 } == true)
        #expect(try folder.list() == ["in"])
        #expect(try folder.list("in").isEmpty)
    }

    @Test func `one archive with every hostile entry leaves nothing`() throws {
        let all = Self.hostile.map(\.entries).joined(separator: "\n")
        #expect(throws: ArchiveFault.self) { try extract(TestArchive.make(all)) }
        #expect(try folder.list() == ["in"])
        #expect(try folder.list("in").isEmpty)
    }

    @Test(arguments: ["../evil", "/evil", "a/../../evil"])
    func `a hostile name in a zip archive extracts nothing`(name: String) throws {
        let archive = try TestArchive.make("zipped(\"good\"); zipped(\"\(name)\")", format: "zip")
        #expect(throws: ArchiveFault.self) { try extract(archive) }
        #expect(try folder.list() == ["in"])
        #expect(try folder.list("in").isEmpty)
    }

    /// 70 MiB of zeros take about 70 KiB.
    @Test func `a bomb is stopped by its ratio`() throws {
        let archive = try TestArchive.make("file(\"zeros\", bytes(70 << 20))", format: "tar.gz")
        let fault = ArchiveFault.tooLarge(
            "its files have more than 67108864 bytes (`maximumRatio`)"
        )
        #expect(throws: fault) { try extract(archive) }
        #expect(try folder.list("in").isEmpty)
        let generous = ArchiveLimits(size: 1 << 30, entries: 10, ratio: 100_000)
        #expect(try extract(archive, limits: generous).bytes == 70 << 20)
    }

    @Test func `names in two cases are two files`() throws {
        let archive = try TestArchive.make("file(\"Readme\", b\"A\")\nfile(\"README\", b\"B\")")
        #expect(try extract(archive).entries == 2)
        #expect(try folder.text("in/out/Readme") + folder.text("in/out/README") == "AB")
    }

    @Test(arguments: [0, 100, 700]) func `a damaged archive extracts nothing`(count: Int) throws {
        let whole = try TestArchive.make(
            "import random\nfile(\"a\", random.Random(1).randbytes(5000))",
            format: "tar.gz"
        )
        let fault = #expect(throws: ArchiveFault.self) { try extract(Array(whole.prefix(count))) }
        guard case .unreadable? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(try folder.list("in").isEmpty)
    }

    @Test func `a folder that exists is kept or replaced as a whole`() throws {
        let archive = try TestArchive.make("file(\"new\")")
        try folder.makeFolder("in/out")
        // An empty folder is no content to lose.
        _ = try extract(archive)
        try folder.write("mine", to: "in/out/mine")
        try folder.makeFolder("in/out/deep")
        try folder.write("secret", to: "secret")
        try folder.link("in/out/deep/link", to: folder.path("secret"))
        let fault = #expect(throws: ArchiveFault.self) { try extract(archive) }
        guard case .occupied? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(try folder.list("in/out") == ["deep", "mine", "new"])
        _ = try extract(archive, replaces: true)
        #expect(try folder.list("in/out") == ["new"])
        #expect(try folder.list("in") == ["out"])
        #expect(try folder.text("secret") == "secret")
    }

    @Test func `only a folder of an allowed content is replaced`() throws {
        let archive = try TestArchive.make("folder(\"deep\")\nfile(\"deep/new\")")
        let content = try extract(archive, mayReplace: { _ in false }).content
        #expect(content != nil)
        #expect(content == FolderContent(at: folder.path("in/out")))
        let next = try extract(archive, mayReplace: { $0 == content }).content
        #expect(next == FolderContent(at: folder.path("in/out")))
        #expect(throws: ArchiveFault.self) { try extract(archive, mayReplace: { $0 == content }) }
        #expect(try folder.list("in") == ["out"])
    }

    @Test func `a file that appears in the older folder during its replacement stays`() throws {
        let archive = try TestArchive.make("file(\"new\")")
        _ = try extract(archive)
        let fault = #expect(throws: ArchiveFault.self) {
            try extract(
                archive,
                mayReplace: { _ in
                    (try? folder.write("mine", to: "in/out/mine")) != nil
                }
            )
        }
        guard case .occupied? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(try folder.list("in/out") == ["mine", "new"])
        #expect(try folder.list("in") == ["out"])
    }

    @Test func `a file or a link of the name is never replaced`() throws {
        let archive = try TestArchive.make("file(\"new\")")
        try folder.write("mine", to: "in/out")
        #expect(throws: ArchiveFault.self) { try extract(archive, replaces: true) }
        #expect(try folder.text("in/out") == "mine")
        try folder.link("in/link", to: "..")
        #expect(throws: ArchiveFault.self) { try extract(archive, to: "in/link", replaces: true) }
        #expect(try folder.list("in") == ["link", "out"])
    }

    @Test func `the next extraction removes what a killed process left`() throws {
        try folder.makeFolder("in/left")
        try folder.write("half", to: "in/left/file")
        let left = TemporaryName.make(for: "out", inode: try folder.inode(of: "in/left"))
        _ = try Command("mv", [folder.path("in/left"), folder.path("in/\(left)")]).run()
        try folder.makeFolder("in/.mine.part")
        _ = try extract(TestArchive.make("file(\"new\")"))
        #expect(try folder.list("in") == [".mine.part", "out"])
    }

    @Test func `stripped archives begin below their top folder`() throws {
        let archive = try TestArchive.make("folder(\"top\")\nfile(\"top/a\")\nfile(\"readme\")")
        #expect(try extract(archive, strip: 1).entries == 3)
        #expect(try folder.list("in/out") == ["a"])
    }
}
