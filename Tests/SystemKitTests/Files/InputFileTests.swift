import Glibc
import SystemKit
import TestSupport
import Testing

@Suite struct InputFileTests {
    @Test(arguments: [
        (0, 0), (0, 10), (10, 0), (10, 9), (10, 10), (10, 11),
        (3_000_000, 2_999_999), (3_000_000, 3_000_001),
    ])
    func `no more than the limit is read`(size: Int, limit: Int) throws {
        let folder = try TemporaryFolder()
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let path = try folder.write(bytes, to: "in")
        #expect(try InputFile(path: path).readPrefix(limit: limit) == Array(bytes.prefix(limit)))
    }

    @Test(arguments: [
        (0o600 as UInt32, nil as InputFile.Exposure?), (0o400, nil), (0o700, nil),
        (0o644, .openMode), (0o440, geteuid() == 0 ? nil : .openMode),
        (0o604, .openMode), (0o620, .openMode), (0o601, .openMode),
    ])
    func `a file that others may access is reported`(
        mode: UInt32,
        exposure: InputFile.Exposure?
    ) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x", to: "in", mode: mode)
        #expect(try InputFile(path: path).exposure == exposure)
    }

    @Test func `folders, devices and pipes are refused without waiting for them`() throws {
        let folder = try TemporaryFolder()
        #expect(try Command("mkfifo", [folder.path("pipe")]).run().status == .exit(0))
        for path in [folder.path, "/dev/null", folder.path("pipe")] {
            let error = #expect(throws: SystemError.self) { try InputFile(path: path) }
            #expect([EISDIR, EINVAL, ENXIO].contains(error?.errno))
            #expect(error?.message.contains("Invalid argument") == false)
        }
    }

    @Test func `the kind of a path is found without opening it`() throws {
        let folder = try TemporaryFolder()
        #expect(try Command("mkfifo", [folder.path("pipe")]).run().status == .exit(0))
        try folder.write("", to: "file")
        let kinds = try [folder.path("file"), folder.path("pipe"), folder.path, "/dev/null"].map {
            try InputFile.kind(of: $0)
        }
        #expect(kinds == [.regular, .pipe, .other, .other])
        let error = #expect(throws: SystemError.self) {
            try InputFile.kind(of: folder.path("gone"))
        }
        #expect(error?.isMissing == true)
    }

    // fstat(2) tells 0 of the one, and a page of the other.
    @Test(arguments: ["/proc/version", "/sys/class/net/lo/mtu"])
    func `a kernel file has the size of its content`(path: String) throws {
        let text = try Command("cat", [path]).run().standardOutput
        let file = try InputFile(path: path)
        #expect(file.identity.size == Int64(text.utf8.count))
        #expect(try file.read(at: 0, count: 1 << 16) == Array(text.utf8))
        #expect(try file.read(at: 2, count: 1) == [Array(text.utf8)[2]])
        #expect(file.isUnchanged)
        #expect(try InputFile(path: path).identity == file.identity)
    }

    @Test func `an empty file and one with holes have their sizes`() throws {
        let folder = try TemporaryFolder()
        let empty = try InputFile(path: folder.write("", to: "empty"))
        #expect(empty.identity.size == 0 && empty.unsizedContent == nil)
        _ = try Command("truncate", ["-s", "4096", folder.path("hole")]).run()
        let hole = try InputFile(path: folder.path("hole"))
        #expect(hole.identity.size == 4096 && hole.unsizedContent == nil)
        try folder.write("grown", to: "empty")
        #expect(!empty.isUnchanged)
    }

    @Test func `a kernel file is read whole in spite of its reported size`() throws {
        let bytes = try InputFile(path: "/proc/version").readPrefix(limit: 1 << 16)
        #expect(bytes.starts(with: "Linux version".utf8) && bytes.last == UInt8(ascii: "\n"))
        #expect(try InputFile(path: "/proc/version").readPrefix(limit: 5) == Array("Linux".utf8))
    }
}
