import TestSupport
import Testing

@Suite struct HostAddressTests {
    @Test func `the second address of a host is tried when the first never answers`() throws {
        let host = try TwoAddresses(
            .silent,
            named: [TwoAddresses.useless, TwoAddresses.useful]
        )
        let job = try JobFolder(
            """
            version: 1
            defaults: { urlCache: none, retry: { attempts: 1 } }
            sessions: { s: { connectTimeout: 10s } }
            data: { a: { session: s, url: "\(host.url)" } }
            """
        )
        let outcome = try host.naming(try job.runCommand()).run().reported(in: job.folder)
        #expect(outcome.code == 0)
        #expect(outcome.exchanges("a").count == 1)
        let address = outcome.exchanges("a").first?["remoteAddress"]?.string
        #expect(address == TwoAddresses.useful)
    }

    @Test func `a name is looked up again when connecting to its address has failed`() throws {
        let host = try TwoAddresses(.refusing, named: [TwoAddresses.useless])
        let backoff = "backoff: { initial: 500ms, factor: 1, jitter: none }"
        let job = try JobFolder(
            """
            version: 1
            defaults: { urlCache: none, retry: { attempts: 20, \(backoff) } }
            data: { a: { url: "\(host.url)" } }
            """
        )
        let running = try host.naming(try job.runCommand()).start()
        _ = try running.waitForLine(containing: "connect")
        try host.name([TwoAddresses.useful])
        let outcome = try running.finish().reported(in: job.folder)
        #expect(outcome.code == 0)
        let address = outcome.exchanges("a").last?["remoteAddress"]?.string
        #expect(address == TwoAddresses.useful)
    }
}
