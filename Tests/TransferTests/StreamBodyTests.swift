import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// Bodies from pipes, sent by the engine.
@Suite struct StreamBodyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func shell(_ script: String) -> BodySource {
        .command(["sh", "-c", script], folder: folder.path)
    }

    private func makePipe(_ name: String) throws -> String {
        #expect(try Command("mkfifo", [folder.path(name)]).run().status == .exit(0))
        return folder.path(name)
    }

    /// Something that runs in the folder while the engine works.
    private func start(_ script: String) throws -> RunningCommand {
        try Command("sh", ["-c", script], workingFolder: folder.path).start()
    }

    @Test(arguments: ["POST", "PUT"])
    func `a program's output is sent in chunks`(method: String) throws {
        let server = try ScriptedServer(["/": [.status(201)]])
        let body = shell("printf abc; printf def; pwd")
        let result = try EngineHarness().run(.to(server.url("/"), method: method, body: body))
        #expect(result.failure == nil)
        #expect(result.countOfBytesExpectedToSend == nil)
        let request = try #require(server.requests.first)
        #expect(request.method == method)
        #expect(request.text == "abcdef\(folder.path)\n")
        #expect(request.headers["transfer-encoding"] == "chunked")
        #expect(request.headers["content-length"] == nil)
        #expect(request.headers["expect"] == nil)
        let transaction = try #require(result.transactions.first)
        let count = Int64(request.body.count)
        #expect(transaction.countOfRequestBodyBytesBeforeEncoding == count)
        #expect(transaction.countOfRequestBodyBytesSent > count)
        #expect(transaction.requestEndDate != nil)
    }

    @Test func `a program that writes much, or nothing, is sent whole`() throws {
        let server = try ScriptedServer(["/": [.ok("")]])
        let harness = try EngineHarness()
        let results = try harness.run([
            .to(server.url("/"), key: 0, method: "PUT", body: shell("head -c 9000000 /dev/zero")),
            .to(server.url("/"), key: 1, method: "PUT", body: shell(":")),
        ])
        #expect(results.map { $0.failure?.detail } == [nil, nil])
        #expect(server.requests.map(\.body.count).sorted() == [0, 9_000_000])
    }

    @Test(arguments: ["exit 3", "exec sleep 1000", ":", "(setsid sleep 5 &) ; exit 3"])
    func `all output of a program is reported before its attempt ends`(end: String) throws {
        let server = try ScriptedServer(["/": [.ok("")]])
        let harness = try EngineHarness()
        let script =
            "echo first >&2; head -c 3000000 /dev/zero >&2; printf last >&2; echo x; \(end)"
        let result = try harness.run(
            .to(server.url("/"), key: 5, method: "PUT", body: shell(script)) {
                $0.timeoutInterval = TimeLimit(.timeoutInterval, .seconds(end == ":" ? 60 : 4))
            }
        )
        #expect((result.failure == nil) == (end == ":"))
        let text = harness.said.flatMap(\.bytes)
        #expect(text.count == 3_000_010)
        #expect(text.starts(with: Array("first\n".utf8)))
        #expect(text.suffix(4) == Array("last".utf8)[...])
        #expect(harness.said.allSatisfy { $0.key == 5 })
        #expect(
            harness.said.map(\.isLast) == harness.said.indices.map { $0 == harness.said.count - 1 }
        )
    }

    @Test func `a slow program is waited for`() throws {
        _ = (try makePipe("ready"), try makePipe("gate"))
        let server = try ScriptedServer(["/": [.ok("")]])
        let harness = try EngineHarness()
        let body = shell(
            "echo a; echo > ready; cat gate; echo c; exec >&-; echo > ready; read _ < gate"
        )
        harness.engine.start([try .to(server.url("/"), method: "PUT", body: body)])
        let other = try start("cat ready; echo b > gate; cat ready; echo > gate")
        #expect(try other.finish().status == .exit(0))
        #expect(try harness.results(1).first?.failure == nil)
        #expect(server.requests.first?.text == "a\nb\nc\n")
    }

    @Test(arguments: [
        ("head -c 300000 /dev/zero; exit 3", "`sh` ended with status 3"),
        ("echo half; kill -9 $$", "`sh` was ended by signal 9"),
        ("exit 1", "`sh` ended with status 1"),
        ("echo all; exec >&-; exit 7", "`sh` ended with status 7"),
    ])
    func `a program that fails leaves no whole request`(script: String, detail: String) throws {
        let server = try ScriptedServer(["/": [.ok("")]])
        let result = try EngineHarness().run(
            .to(server.url("/"), method: "PUT", body: shell(script))
        )
        #expect(result.failure?.kind == .localIO)
        #expect(result.failure?.detail.contains(detail) == true)
        #expect(result.transactions.first?.requestEndDate == nil)
        #expect(result.response == nil)
        #expect(server.requests.isEmpty)
    }

    @Test func `a missing program fails before any request`() throws {
        let server = try ScriptedServer(["/": [.ok("")]])
        let body = BodySource.command(["/nowhere/dump"], folder: folder.path)
        let result = try EngineHarness().run(.to(server.url("/"), method: "PUT", body: body))
        #expect(result.failure?.kind == .localIO)
        #expect(result.failure?.osErrno == 2)
        #expect(result.failure?.phase == .prepare)
        #expect(server.requests.isEmpty)
    }

    @Test func `a redirect that keeps the body has the program run again`() throws {
        let server = try ScriptedServer(
            ["/a": [.redirect(307, to: "/b")], "/b": [.ok("")]]
        )
        let body = shell("echo run >> log; cat log")
        let result = try EngineHarness().run(.to(server.url("/a"), method: "POST", body: body))
        #expect(result.failure == nil)
        #expect(server.requests.map(\.text) == ["run\n", "run\nrun\n"])
    }

    @Test func `a program that leaves its group does not hold up the engine`() throws {
        _ = try makePipe("end")
        let server = try ScriptedServer(["/": [.ok("")]])
        let harness = try EngineHarness()
        let reader = try start("cat end")
        let script =
            "setpgrp(0, getpgrp(getppid())); open(E, q(>end)); syswrite(E, qq(ready\n)); sleep 1000"
        let body = BodySource.command(["perl", "-e", script], folder: folder.path)
        harness.engine.start([try .to(server.url("/"), method: "PUT", body: body)])
        _ = try reader.waitForLine(containing: "ready")
        harness.engine.cancel([0])
        #expect(try harness.results(1).first?.failure?.kind == .cancelled)
        #expect(try reader.finish().status == .exit(0))
    }

    @Test func `a cancelled upload ends its program and its process group`() throws {
        _ = try makePipe("end")
        let server = try ScriptedServer(["/": [.ok("")]])
        let harness = try EngineHarness()
        // The reader of the pipe sees its end when no process of the group holds it any more.
        let reader = try start("cat end")
        let body = shell("exec 3> end; (sleep 1000 & sleep 1000) & echo ready >&3; exec sleep 1000")
        harness.engine.start([try .to(server.url("/"), method: "PUT", body: body)])
        _ = try reader.waitForLine(containing: "ready")
        harness.engine.cancel([0])
        #expect(try harness.results(1).first?.failure?.kind == .cancelled)
        #expect(try reader.finish().status == .exit(0))
        #expect(server.requests.isEmpty)
    }

    @Test func `a program that stays silent is timed out, and named`() throws {
        let server = try ScriptedServer(["/": [.ok("")]])
        let result = try EngineHarness().run(
            .to(server.url("/"), method: "PUT", body: shell("sleep 1000")) {
                $0.timeoutInterval = TimeLimit(.timeoutInterval, .milliseconds(500))
            }
        )
        #expect(result.failure?.kind == .timeout)
        #expect(
            result.failure?.detail
                == "the command `sh` wrote nothing within `timeoutInterval: 500ms`"
        )
        #expect(result.failure?.help?.contains("timeoutInterval") == true)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a response that refuses the body does not wait for a silent program`(
        isExpected: Bool
    ) throws {
        let server = try ScriptedServer(["/": [.status(403) + [.close]]], maximumBodyRead: 1)
        let result = try EngineHarness().run(
            .to(server.url("/"), method: "PUT", body: shell("echo a; exec sleep 1000")) {
                $0.timeoutInterval = TimeLimit(.timeoutInterval, .seconds(600))
                if isExpected { $0.expectation.statusCodes = [403...403] }
            }
        )
        #expect(result.failure?.kind == (isExpected ? .truncated : .httpStatus))
    }

    @Test func `a connection that breaks does not wait for a silent program`() throws {
        let server = try ScriptedServer(["/": [.hangUp]], maximumBodyRead: 1)
        let result = try EngineHarness().run(
            .to(server.url("/"), method: "PUT", body: shell("echo a; exec sleep 1000")) {
                $0.timeoutInterval = TimeLimit(.timeoutInterval, .seconds(600))
            }
        )
        #expect(result.failure?.kind == .reset)
    }

    @Test func `bytes of a named pipe are sent, from any number of writers`() throws {
        let path = try makePipe("rows")
        let server = try ScriptedServer(["/": [.ok("")]])
        let harness = try EngineHarness()
        harness.engine.start([
            try .to(server.url("/"), method: "POST", body: .pipe(path: path))
        ])
        let writer = try start("exec > rows; echo one; (echo two); head -c 500000 /dev/zero")
        #expect(try writer.finish().status == .exit(0))
        #expect(try harness.results(1).first?.failure == nil)
        let request = try #require(server.requests.first)
        #expect(request.body.count == 500_008)
        #expect(request.text.hasPrefix("one\ntwo\n"))
    }

    @Test func `a pipe is not opened before a connection is ready`() throws {
        let path = try makePipe("rows")
        let server = try ScriptedServer(["/": [.ok("")]])
        let closed = try ClosedPort()
        let harness = try EngineHarness()
        let writer = try start("echo rows > rows")
        let first = try harness.run(
            .to(closed.origin + "/", method: "PUT", body: .pipe(path: path))
        )
        #expect(first.failure?.kind == .connect)
        #expect(first.failure?.isPermanent == false)
        let second = try harness.run(
            .to(server.url("/"), method: "PUT", body: .pipe(path: path)) { $0.number = 2 }
        )
        #expect(second.failure == nil)
        #expect(server.requests.first?.text == "rows\n")
        #expect(try writer.finish().status == .exit(0))
    }

    @Test func `a pipe that was read is not read again`() throws {
        let path = try makePipe("rows")
        let server = try ScriptedServer(
            ["/busy": [.unavailable()], "/moved": [.redirect(308, to: "/busy")]]
        )
        let harness = try EngineHarness()
        for (target, kind) in [("/busy", TransferFailure.Kind.httpStatus), ("/moved", .localIO)] {
            let writer = try start("echo rows > rows")
            let result = try harness.run(
                .to(server.url(target), method: "PUT", body: .pipe(path: path))
            )
            #expect(result.failure?.kind == kind)
            #expect(result.failure?.isPermanent == true)
            #expect(result.failure?.detail.contains("can be read only once") == true)
            // An unfollowed redirect does not count.
            #expect(result.redirectCount == 0)
            #expect(try writer.finish().status == .exit(0))
        }
        #expect(server.requests.map(\.path) == ["/busy", "/moved"])
    }

    @Test func `a file under the name of a pipe is refused`() throws {
        let path = try folder.write("rows", to: "rows")
        let result = try EngineHarness().run(
            .to("http://127.0.0.1:9/", method: "PUT", body: .pipe(path: path))
        )
        #expect(result.failure?.kind == .localIO)
        #expect(result.failure?.phase == .prepare)
    }
}
