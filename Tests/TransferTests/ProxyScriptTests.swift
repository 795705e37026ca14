import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// Sessions whose proxies a script chooses; a program plays the script.
@Suite struct ProxyScriptTests {
    /// An engine whose session asks a shell script; `$1` is the URL, `$2` its host.
    private func harness(_ script: String) throws -> EngineHarness {
        let program = SessionScript(command: ["sh", "-c", script, "script"], place: "proxy.pac")
        return try EngineHarness({ $0.connectTimeout = .seconds(5) }, script: program)
    }

    @Test func `a script chooses the proxy of each origin, and gets no path`() throws {
        let folder = try TemporaryFolder()
        let proxy = try ScriptedServer { _ in .ok("from the proxy") }
        let harness = try harness(
            """
            echo "$1 $2" >> '\(folder.path("asked"))'
            echo "PROXY 127.0.0.1:\(proxy.port)"
            """
        )
        let results = try harness.run([
            .to("http://a.test/path?secret=1", key: 0), .to("http://a.test/other", key: 1),
            .to("http://b.test:8080/", key: 2),
        ])
        for result in results { #expect(result.failure == nil, "\(result.failure?.detail ?? "")") }
        #expect(results.allSatisfy { $0.transactions.first?.proxy?.url == proxy.origin })
        // Each engine thread has its own answers.
        let asked = try folder.text("asked").split(separator: "\n")
        #expect(Set(asked) == ["http://a.test/ a.test", "http://b.test:8080/ b.test"])
        #expect(asked.count <= 4)
    }

    @Test func `a redirect to another origin asks again`() throws {
        let target = try ScriptedServer(["/": [.ok("direct")]])
        let proxy = try ScriptedServer { _ in .redirect(to: target.url("/")) }
        let harness = try harness(
            """
            case $2 in a.test) echo 'PROXY 127.0.0.1:\(proxy.port)';; *) echo DIRECT;; esac
            """
        )
        let result = try harness.run(.to("http://a.test/"))
        #expect(result.failure == nil, "\(result.failure?.detail ?? "")")
        #expect(result.transactions.map { $0.proxy?.url } == [proxy.origin, nil])
    }

    @Test func `an unreachable proxy is followed by the next one`() throws {
        let closed = try ClosedPort()
        let proxy = try ScriptedServer { _ in .ok("from the proxy") }
        let harness = try harness(
            """
            echo 'PROXY 127.0.0.1:\(closed.port); SOCKS5 127.0.0.1:\(closed.port);' \\
                'PROXY 127.0.0.1:\(proxy.port); DIRECT'
            """
        )
        let result = try harness.run(.to("http://a.test/"))
        #expect(result.failure == nil, "\(result.failure?.detail ?? "")")
        #expect(result.transactions.count == 3)
        #expect(result.transactions.last?.proxy?.url == proxy.origin)
        // The next request begins with the proxy that works.
        let next = try harness.run(.to("http://b.test/"))
        #expect(next.transactions.count == 1)
    }

    @Test func `without another way the attempt fails`() throws {
        let closed = try ClosedPort()
        let harness = try harness("echo 'PROXY 127.0.0.1:\(closed.port)'")
        let result = try harness.run(.to("http://a.test/"))
        #expect(result.failure?.kind == .connect)
        #expect(result.transactions.count == 1)
    }

    @Test func `a body is sent once, to the proxy that can be reached`() throws {
        let closed = try ClosedPort()
        let proxy = try ScriptedServer { _ in .ok("taken") }
        let harness = try harness(
            "echo 'PROXY 127.0.0.1:\(closed.port); PROXY 127.0.0.1:\(proxy.port)'"
        )
        let body = [UInt8](repeating: 7, count: 100_000)
        let result = try harness.run(
            .to("http://a.test/", method: "POST", body: .bytes(body)) { $0.resending = .none }
        )
        #expect(result.failure == nil, "\(result.failure?.detail ?? "")")
        #expect(proxy.requests.map(\.body) == [body])
    }

    @Test(arguments: [
        "exit 1", "echo 'it broke'; exit 4", "echo undefined", "kill -9 $$", "echo 'PROXY'",
        "head -c 1000000 /dev/zero | tr '\\0' x",
    ])
    func `a script without an answer is a failure and no direct connection`(script: String) throws {
        let server = try ScriptedServer { _ in .ok("direct") }
        let result = try harness(script).run(.to(server.url("/")))
        #expect(result.failure?.kind == .connect)
        #expect(result.failure?.detail.contains("the proxy script proxy.pac") == true)
        #expect(server.requests.isEmpty)
    }

    @Test func `a program that is not there is a failure`() throws {
        let program = SessionScript(command: ["/nowhere/runner"], place: "proxy.pac")
        let result = try EngineHarness(script: program).run(.to("http://a.test/"))
        #expect(result.failure?.kind == .connect)
    }

    @Test func `an attempt that waits for a script can be cancelled`() throws {
        let harness = try harness("sleep 100")
        harness.engine.start([try .to("http://a.test/")])
        harness.engine.cancel([0])
        let result = try #require(try harness.results(1).first)
        #expect(result.failure?.kind == .cancelled)
    }

    @Test func `many origins at once are all answered`() throws {
        let proxy = try ScriptedServer { _ in .ok("from the proxy") }
        let harness = try harness("echo 'PROXY 127.0.0.1:\(proxy.port)'")
        let results = try harness.run(
            (0..<30).map { try .to("http://host-\($0).test/", key: $0) }
        )
        for result in results { #expect(result.failure == nil, "\(result.failure?.detail ?? "")") }
    }
}
