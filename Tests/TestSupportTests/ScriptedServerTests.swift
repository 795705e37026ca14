import TestSupport
import TransferModel
import Testing

@Suite struct ScriptedServerTests {
    /// The exit code of curl and what it printed, for URLs or options.
    private func curl(_ arguments: String...) throws -> (code: Command.Outcome.Status, out: String)
    {
        let outcome = try Command("curl", ["-s", "--no-progress-meter", "-q"] + arguments).run()
        return (outcome.status, outcome.standardOutput)
    }

    @Test func `a path answers with its replies in order and then with the last one`() throws {
        let server = try ScriptedServer(["/a": [.unavailable(retryAfter: "1"), .ok("done")]])
        let url = server.url("/a")
        #expect(try curl("-i", url).out.contains("Retry-After: 1\r\n"))
        #expect(try curl(url, url).out == "donedone")
        #expect(try curl("-w", "%{http_code}", server.url("/b")).out == "404")
    }

    @Test func `requests are recorded with their bodies and their place on the connection`() throws
    {
        let server = try ScriptedServer(["/a": [.ok("1")], "/b": [.ok("2")]])
        let a = server.url("/a?x=1")
        let b = server.url("/b")
        #expect(try curl("-d", "body", "-H", "X-Id: 7", a, b).out == "12")
        #expect(try curl("-T", "-", "-H", "Expect:", b).out == "2")
        let requests = try server.waitForRequests(3)
        #expect(requests.map(\.target) == ["/a?x=1", "/b", "/b"])
        #expect(requests.map(\.method) == ["POST", "POST", "PUT"])
        #expect(requests.map(\.connection) == [1, 1, 2])
        #expect(requests.map(\.indexOnConnection) == [1, 2, 1])
        #expect(requests[0].text == "body")
        #expect(requests[0].headers["x-id"] == "7")
        #expect(requests[2].headers["transfer-encoding"] == "chunked")
        #expect(server.requests(for: "/b").count == 2)
    }

    @Test(arguments: [
        (Reply.cut([1, 2, 3], after: 2, then: [.close]), Int32(18)),
        (.cut([1, 2, 3], after: 2, then: [.reset]), 56),
        (.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", then: [.close]), 56),
        (.hangUp, 52),
        (.raw("", then: [.reset]), 56),
        (.chunked([[65], [66, 67]]), 0),
    ])
    func `faults reach the client as faults`(reply: Reply, code: Int32) throws {
        let server = try ScriptedServer(["/": [reply]])
        #expect(try curl("-o", "/dev/null", server.url("/")).code == .exit(code))
    }

    @Test func `a stalled reply continues when the test opens the gate`() throws {
        let reached = try Gate()
        let gate = try Gate()
        let body = Array("whole".utf8)
        let steps: [Reply.Step] = [.open(reached), .wait(gate), .send(Array(body[2...]))]
        let server = try ScriptedServer(["/": [.cut(body, after: 2, then: steps)]])
        let client = try Command("curl", ["-s", "-q", server.url("/")]).start()
        try reached.wait()
        #expect(!gate.isOpen)
        gate.open()
        #expect(try client.finish().standardOutput == "whole")
    }

    @Test func `an endless reply ends when the peer leaves`() throws {
        let reached = try Gate()
        let left = try Gate()
        let server = try ScriptedServer { _ in
            Reply([
                .sendRepeatedly(Array("HTTP/1.1 102 Processing\r\n\r\n".utf8), count: 1000),
                .send(Reply.head(200, ["Content-Length: 9"])),
                .open(reached),
                .waitForPeerToLeave,
                .open(left),
            ])
        }
        let client = try Command("curl", ["-s", "-q", server.url("/")]).start()
        try reached.wait()
        client.signal(15)
        #expect(try client.finish().status == .signal(15))
        try left.wait()
    }

    @Test func `an endless reply ends with its server although the peer reads on`() throws {
        let reached = try Gate()
        var server: ScriptedServer? = try ScriptedServer { _ in
            Reply([
                .send(Reply.head(200, ["Content-Length: 99999999999999"])),
                .open(reached),
                .sendRepeatedly([UInt8](repeating: 0, count: 4096), count: .max),
            ])
        }
        let url = try #require(server?.url("/"))
        let client = try Command("curl", ["-s", "-q", "-o", "/dev/null", url]).start()
        try reached.wait()
        server = nil
        #expect(try client.finish().status == .exit(18))
    }

    @Test func `bytes of a drip arrive one by one and whole`() throws {
        let drip = Reply.head(200, ["Content-Length: 3"]) + Array("abc".utf8)
        let server = try ScriptedServer(["/": [Reply([.drip(drip, every: .microseconds(10))])]])
        #expect(try curl(server.url("/")).out == "abc")
    }

    @Test func `a limit on the body lets the reply come before the upload is complete`() throws {
        let server = try ScriptedServer(
            ["/": [.status(413) + [.close]]],
            maximumBodyRead: 10
        )
        let outcome = try curl("-d", "0123456789abcdef", "-w", "%{http_code}", server.url("/"))
        #expect(outcome.out == "413")
        #expect(server.requests.map(\.text) == ["0123456789"])
    }

    @Test func `a request that expects 100 gets it or a final response without its body`() throws {
        let server = try ScriptedServer(continues: { $0["x-go"] != nil }) { .ok($0.text) }
        for (field, text) in [("X-Go: 1", "body"), ("X-Stay: 1", "")] {
            let expect = "Expect: 100-continue"
            let url = server.url("/")
            #expect(try curl("-H", expect, "-H", field, "-d", "body", url).out == text)
        }
    }

    @Test func `a closed port refuses and an unanswered one lets the client wait`() throws {
        #expect(try curl(ClosedPort().origin).code == .exit(7))
        let unanswered = try UnansweredPort()
        #expect(try curl("--connect-timeout", "0.05", unanswered.origin).code == .exit(28))
    }
}
