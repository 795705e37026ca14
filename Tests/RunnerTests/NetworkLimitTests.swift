import SystemKit
import TestSupport
import Testing

/// Where a policy cannot be kept as usual, or there is no network at all; the links are as in
/// `NetworkPolicyTests`.
@Suite struct NetworkLimitTests {
    private static let classes = """
        version: 1
        network:
          interfaces:
            - { match: { name: "wwan*" }, kind: cellular }
            - { match: { name: "eth*" }, kind: wired, expensive: false }
        defaults: { urlCache: none, retry: { attempts: 1 } }

        """

    @Test func `no ticket is requested while its packets may use a forbidden link`()
        throws
    {
        let links = try TwoLinks()
        let job = try JobFolder(
            Self.classes + """
                sessions:
                  careful:
                    allowsCellularAccess: false
                    credentials:
                      - { method: negotiate, origin: "http://\(TwoLinks.wiredAddress):\(TwoLinks.port)" }
                data: { a: { url: "\(TwoLinks.url("ticket", at: TwoLinks.wiredAddress))" } }
                """
        )
        let packets = try links.packets(of: "wwan0")
        let outcome = try links.run(job)
        #expect(outcome.code == 7)
        #expect(outcome.outcome("a") == "deferred")
        let error = outcome.task("a")?["error"]
        #expect(error?["networkUnavailableReason"]?.string == "cellular")
        #expect(error?["message"]?.string?.contains("`negotiate`") == true)
        #expect(try packets.finish().standardOutput == "ready\n")
    }

    @Test(arguments: [TwoLinks.address, TwoLinks.wiredAddress, "nowhere.test"])
    func `a task without any network is deferred, also without forbidden interfaces`(
        host: String
    ) throws {
        let links = try TwoLinks()
        try links.ip("link set eth0 down")
        try links.ip("link set wwan0 down")
        let job = try JobFolder(
            """
            version: 1
            defaults:
              urlCache: none
              retry: { attempts: 2, backoff: { initial: 10ms, jitter: none } }
            sessions: { free: {}, later: { configuration: background, identifier: later } }
            data:
              a: { session: free, url: "\(TwoLinks.url("a", at: host))" }
            downloads:
              b: { session: later, url: "\(TwoLinks.url("a", at: host))", to: b }
            """
        )
        let outcome = try links.run(job)
        #expect(outcome.code == 7)
        for id in ["a", "b"] {
            #expect(outcome.outcome(id) == "deferred")
            #expect(outcome.kind(id) == "network")
            #expect(outcome.attempts(id).count == 2)
        }
    }

    @Test func `a transfer ends at once when the name of its link becomes a modem's`() throws {
        var fastest = Int64.max
        // A machine under load may be late; it is not each time.
        for _ in 0..<20 where fastest >= 200_000_000 {
            let links = try TwoLinks()
            try links.root.write(TwoLinks.longContent, to: "file")
            let url = TwoLinks.url("held/file", at: TwoLinks.wiredAddress)
            let job = try JobFolder(
                Self.classes + """
                    sessions: { careful: { allowsCellularAccess: false } }
                    downloads: { a: { url: "\(url)", to: file } }
                    """
            )
            let packets = try links.packets(of: "eth0")
            let running = try links.start(job)
            try packets.waitForResponse()
            let begun = Clock.monotonicNanoseconds()
            try links.ip("link set eth0 name wwan1")
            _ = try packets.waitForLine(containing: " rst")
            fastest = min(fastest, Clock.monotonicNanoseconds() - begun)
            let outcome = try running.finish().reported(in: job.folder)
            #expect(outcome.outcome("a") == "deferred")
            packets.signal(9)
        }
        #expect(fastest < 200_000_000)
    }

    @Test func `a policy is an error without socket binding and with complex routes`() throws {
        let links = try TwoLinks()
        try links.root.write("hello", to: "a")
        let job = try JobFolder(
            Self.classes + """
                sessions: { careful: { allowsCellularAccess: false } }
                data: { a: { url: "\(TwoLinks.url("a", at: TwoLinks.wiredAddress))" } }
                """
        )
        try links.ip("rule add tos 0x10 lookup 100")
        let outcome = try links.withoutBinding(try job.runCommand()).run()
        #expect(outcome.status == .exit(4))
        #expect(outcome.standardError.contains("this user may not bind a socket to an interface"))
        #expect(try links.run(job).code == 0)
        try links.ip("rule del tos 0x10 lookup 100")
        #expect(try links.withoutBinding(try job.runCommand()).run().status == .exit(0))
    }
}
