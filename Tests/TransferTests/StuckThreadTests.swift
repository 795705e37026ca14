import TestSupport
import Testing
import Transfer
import TransferModel

/// A thread of the engine that does not return from a call.
@Suite struct StuckThreadTests {
    @Test func `a call that never returns fails its attempt, and later ones begin elsewhere`()
        throws
    {
        let folder = try TemporaryFolder()
        let (isSpinning, isOver) = (try Gate(), try Gate())
        defer { isOver.open() }
        let server = try ScriptedServer([
            "/stuck": [.ok("x", ["Content-Disposition: attachment; filename=spin"])],
            "/beside": [.raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")],
            "/": [.ok("hello")],
        ])
        let harness = try EngineHarness(
            maximumConcurrentAttempts: 1,
            mayName: { name in
                if name == "spin" {
                    isSpinning.open()
                    while !isOver.isOpen {}
                }
                return true
            }
        )
        harness.engine.start([try .to(server.url("/beside"), key: 0)])
        try server.waitForRequests(1)
        harness.engine.start([
            try .download(server.url("/stuck"), to: folder.path("in/"), key: 1)
        ])
        try isSpinning.wait()
        harness.engine.start([try .to(server.url("/"), key: 2)])
        let results = try harness.results(3)
        #expect(results.map(\.failure?.kind) == [.reset, .engine, nil])
        #expect(results.map(\.failure?.isPermanent) == [false, true, nil])
        #expect(results[2].response?.statusCode == 200)
    }
}
