import SystemKit
import TestSupport
import Testing

@Suite struct DetachedProcessTests {
    private static func start(_ script: String, in folder: TemporaryFolder) throws
        -> DetachedProcess
    {
        try DetachedProcess(
            ["sh", "-c", script],
            in: Folder(path: folder.path, create: false),
            log: "log"
        )
    }

    @Test func `a detached process has its own session, log and pipe, and no input`() throws {
        let folder = try TemporaryFolder()
        let process = try Self.start(
            "cat; echo out; echo error >&2; ps -o sid= -p $$; echo ready >&3; exit 7",
            in: folder
        )
        var said: [UInt8] = []
        while let more = try process.next() { said += more }
        #expect(String(decoding: said, as: UTF8.self) == "ready\n")
        #expect(process.wait() == .exited(7))
        let lines = try folder.text("log").split(separator: "\n").map { $0.filter { $0 != " " } }
        #expect(lines == ["out", "error", "\(process.identifier)"])
        #expect(try folder.mode(of: "log") == 0o600)
    }

    @Test func `the pipe ends when the program closes it`() throws {
        let folder = try TemporaryFolder()
        let process = try Self.start("echo a >&3; exec 3>&-; exec sleep 1000", in: folder)
        #expect(try process.next() == Array("a\n".utf8))
        #expect(try process.next() == nil)
        #expect(try Command("kill", ["\(process.identifier)"]).run().status == .exit(0))
        #expect(process.wait() == .killed(signal: 15))
    }

    @Test func `a program that cannot be started is an error`() throws {
        let temporary = try TemporaryFolder()
        let folder = try Folder(path: temporary.path, create: false)
        for arguments in [[], ["a\0b"], ["/nowhere"]] {
            #expect(throws: SystemError.self) {
                try DetachedProcess(arguments, in: folder, log: "log")
            }
        }
    }
}
