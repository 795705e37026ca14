import Glibc
@testable import SystemKit
import TestSupport
import Testing

/// Files of both kinds: without a name at first, or under a random one.
@Suite struct OutputFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(
        _ name: String = "out",
        unnamed: Bool,
        mode: UInt32 = 0o666,
        inherits: Bool = true
    ) throws -> OutputFile {
        try OutputFile(
            in: Folder(path: folder.path, create: false),
            name: name,
            mode: mode,
            inheritsAccess: inherits,
            startsUnnamed: unnamed
        )
    }

    /// Runs a tool that must succeed.
    private func tool(_ words: String...) throws { try tool(words) }

    private func tool(_ words: [String]) throws {
        let outcome = try Command("env", words, workingFolder: folder.path).run()
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
    }

    /// The name appears with all of the content and nothing is left behind.
    @Test(arguments: [true, false], [true, false])
    func `a free name is given whether or not one may be replaced`(
        unnamed: Bool,
        replacing: Bool
    ) throws {
        try tool("touch", "sample")
        do {
            let file = try open(unnamed: unnamed)
            try file.write([1, 2, 3].span)
            #expect(!folder.contains("out"))
            try file.sync()
            try file.publish(replacing: replacing)
            #expect(file.size == 3)
        }
        #expect(try folder.read("out") == [1, 2, 3])
        #expect(try folder.mode(of: "out") == folder.mode(of: "sample"))
        #expect(try folder.list() == ["out", "sample"])
    }

    @Test(arguments: [true, false])
    func `nothing is left of a file that was not published`(unnamed: Bool) throws {
        do {
            let file = try open(unnamed: unnamed)
            try file.write([1].span)
            #expect(try folder.list().count == (unnamed ? 0 : 1))
            for name in try folder.list() { #expect(try folder.mode(of: name) == 0o600) }
        }
        #expect(try folder.list() == [])
    }

    @Test(arguments: [true, false])
    func `a file that appeared meanwhile is not replaced`(unnamed: Bool) throws {
        do {
            let file = try open(unnamed: unnamed)
            try file.write([1].span)
            try folder.write("theirs", to: "out")
            let error = #expect(throws: SystemError.self) { try file.publish(replacing: false) }
            #expect(error?.isTaken == true)
        }
        #expect(try folder.text("out") == "theirs")
        #expect(try folder.list() == ["out"])
    }

    @Test(arguments: [true, false], [0o600, 0o640, 0o755])
    func `a replaced file's mode is kept`(unnamed: Bool, mode: UInt32) throws {
        try folder.write("old", to: "out", mode: mode)
        let file = try open(unnamed: unnamed)
        try file.write(Array("new".utf8).span)
        try file.publish(replacing: true)
        #expect(try folder.text("out") == "new")
        #expect(try folder.mode(of: "out") == mode)
        #expect(try folder.list() == ["out"])
    }

    @Test(arguments: [true, false], [true, false])
    func `a declared mode applies in spite of the replaced file's mode`(
        unnamed: Bool,
        replacing: Bool
    ) throws {
        if replacing { try folder.write("old", to: "out", mode: 0o640) }
        let file = try open(unnamed: unnamed)
        file.setMode(exactly: 0o604)
        for name in try folder.list() where name != "out" {
            #expect(try folder.mode(of: name) == 0o600)
        }
        try file.publish(replacing: replacing)
        #expect(try folder.mode(of: "out") == 0o604)
    }

    /// The mode of the new file, and the mode of the file that it replaces.
    @Test(arguments: [true, false], [(0o640, 0o644), (nil, 0o640)] as [(UInt16?, UInt32)])
    func `a file is synced with the permissions that it is published with`(
        unnamed: Bool,
        modes: (own: UInt16?, replaced: UInt32)
    ) throws {
        try folder.write("old", to: "out", mode: modes.replaced)
        let file = try open(unnamed: unnamed)
        if let own = modes.own { file.setMode(exactly: own) }
        var synced: mode_t = 0
        func sync(_ descriptor: Int32) -> Int32 {
            var status = stat()
            defer { synced = status.st_mode & 0o777 }
            return unsafe fstat(descriptor, &status)
        }
        try file.syncForPublishing(replacing: true, by: sync)
        try file.publish(replacing: true, by: sync)
        #expect(synced == 0o640)
        #expect(try folder.mode(of: "out") == 0o640)
    }

    @Test(arguments: [nil, 0o644] as [UInt32?])
    func `a file that keeps its permissions is synced once`(replaced: UInt32?) throws {
        try tool("touch", "sample")
        if let replaced { try folder.write("old", to: "out", mode: replaced) }
        try #require(folder.mode(of: "sample") == 0o644)
        let file = try open(unnamed: true)
        var syncs = 0
        func sync(_: Int32) -> Int32 {
            syncs += 1
            return 0
        }
        try file.syncForPublishing(replacing: true, by: sync)
        try file.publish(replacing: true, by: sync)
        #expect(syncs == 1)
        #expect(try folder.mode(of: "out") == 0o644)
    }

    @Test func `a kept file that cannot be synced is for its owner alone again`() throws {
        let file = try open(unnamed: true)
        try file.keep(as: "kept")
        file.setMode(exactly: 0o644)
        #expect(throws: SystemError.self) {
            try file.syncForPublishing(replacing: true) { _ in -1 }
        }
        #expect(try folder.mode(of: "kept") == 0o600)
    }

    @Test(arguments: [true, false], [0o666, 0o600, 0o777])
    func `a hard link removes permissions and grants none`(
        unnamed: Bool,
        mode: UInt32
    ) throws {
        try folder.write("theirs", to: "theirs", mode: mode)
        try tool("ln", "theirs", "out")
        try tool("touch", "sample")
        let file = try open(unnamed: unnamed)
        try file.publish(replacing: true)
        #expect(try folder.mode(of: "out") == mode & folder.mode(of: "sample"))
        #expect(try folder.mode(of: "theirs") == mode)
    }

    @Test func `all files of a folder are on one mount`() throws {
        #expect(try open(unnamed: true).mount == open(unnamed: false).mount)
    }

    @Test(arguments: [true, false])
    func `a private file stays private when it replaces an open one`(unnamed: Bool) throws {
        try folder.write("old", to: "out", mode: 0o644)
        try open(unnamed: unnamed, mode: 0o600, inherits: false).publish(replacing: true)
        #expect(try folder.mode(of: "out") == 0o600)
    }

    @Test(arguments: [true, false], ["target", "nowhere"])
    func `a symbolic link is replaced and its target stays`(
        unnamed: Bool,
        target: String
    ) throws {
        try folder.write("target", to: "target")
        try tool("ln", "-s", target, "out")
        let file = try open(unnamed: unnamed)
        try file.write(Array("new".utf8).span)
        try file.publish(replacing: true)
        #expect(try folder.text("out") == "new")
        #expect(try folder.text("target") == "target")
        #expect(try folder.list() == ["out", "target"])
        try tool("test", "!", "-L", "out")
    }

    /// An obstacle at the destination, and the message about it.
    private static let obstacles = [
        (["mkdir", "out"], "Is a directory"),
        (["mkfifo", "out"], "it is a named pipe, which a file would replace"),
        (["ln", "-s", "/dev/null", "out"], "it is a device, which a file would replace"),
        (["ln", "-s", "/", "out"], "Is a directory"),
        (
            ["ln", "-s", "/proc/self/fd/1", "out"],
            "it is a link to an open stream, which a file would replace"
        ),
    ]

    @Test(arguments: obstacles)
    func `a destination that is no file is found before a write`(
        obstacle: (command: [String], text: String)
    ) throws {
        try tool(obstacle.command)
        let error = #expect(throws: SystemError.self) {
            try Folder(path: folder.path, create: false).requireReplaceable("out")
        }
        #expect(error?.message == "cannot write \(folder.path)/out: \(obstacle.text)")
        #expect([EISDIR, EINVAL, ENXIO].contains(error?.errno))
        #expect(try folder.list() == ["out"])
    }

    @Test(arguments: [true, false], obstacles)
    func `a new destination that is no file is not replaced`(
        unnamed: Bool,
        obstacle: (command: [String], text: String)
    ) throws {
        do {
            let file = try open(unnamed: unnamed)
            try tool(obstacle.command)
            let error = #expect(throws: SystemError.self) { try file.publish(replacing: true) }
            #expect(error?.message == "cannot write \(folder.path)/out: \(obstacle.text)")
        }
        try tool("sh", "-c", "test -L out || test ! -f out")
        #expect(try folder.list() == ["out"])
    }

    @Test(arguments: [true, false])
    func `a kept file whose sync has failed is never published`(unnamed: Bool) throws {
        let file = try open(unnamed: unnamed)
        try file.keep(as: ".out.part")
        try file.sync()
        #expect(!file.hasFailedSync)
        let error = try #require(throws: SystemError.self) {
            try file.sync { _ in
                errno = EIO
                return -1
            }
        }
        #expect(file.hasFailedSync)
        // The kernel tells it once.
        #expect(throws: error) { try file.syncContent() }
        #expect(throws: error) { try file.sync() }
        #expect(throws: error) { try file.publish(replacing: true) }
        file.remove(keptName: ".out.part")
        #expect(try folder.list() == [])
    }
}
