import TestSupport
import Testing

/// Connections after their interface has changed its class; the links are as in
/// `NetworkPolicyTests`.
@Suite struct NetworkChangeTests {
    private let links: TwoLinks

    init() throws { links = try TwoLinks() }

    /// `eth0` is wired as long as no default route leads over its gateway, `wwan0` another network
    /// while none leads over a second one.
    private static let classes = """
        version: 1
        network:
          interfaces:
            - { match: { gateway: \(TwoLinks.wiredAddress) }, kind: cellular }
            - { match: { gateway: 10.2.0.9 }, kind: cellular }
            - { match: { name: "*" }, kind: wired, expensive: false }
        defaults: { urlCache: none, retry: { attempts: 1 } }

        """

    private static let wiredRoute = "default via \(TwoLinks.wiredAddress) metric 900"

    /// By which `wwan0` is forbidden, too.
    private static let otherRoute = "default via 10.2.0.9 metric 901"

    /// The packets that this side has sent from the first reset on.
    private func sentFromReset(_ packets: RunningCommand) throws -> [Substring] {
        let lines = try packets.finish().standardOutput.split(separator: "\n")
        return Array(lines.filter { $0.hasPrefix("sent") }.drop { !$0.hasSuffix(" rst") })
    }

    /// Waits until a file of such a name is somewhere in a folder.
    private func waitForFile(_ pattern: String, in folder: TemporaryFolder) throws {
        let script = "until find \(folder.path) -name '\(pattern)' | grep -q .; do sleep 0.05; done"
        #expect(try Command("sh", ["-c", script]).run().status == .exit(0))
    }

    @Test func `unsent bytes of a forbidden upload are dropped`() throws {
        let server = try links.slowUploadServer(port: 8093)
        try links.ip("route add \(Self.otherRoute)")
        let job = try JobFolder(
            Self.classes + """
                sessions: { careful: { allowsCellularAccess: false } }
                uploads:
                  a: { url: "http://\(TwoLinks.wiredAddress):8093/", file: body.bin, idempotencyKey: auto, resumable: none }
                """
        )
        try job.folder.write([UInt8](repeating: 1, count: 6 << 20), to: "body.bin")
        let packets = try links.packets(of: "eth0")
        let running = try links.start(job)
        _ = try server.waitForLine(containing: "order")
        _ = try packets.waitForLine(containing: "received")
        try links.ip("route add \(Self.wiredRoute)")
        let outcome = try running.finish().reported(in: job.folder)
        #expect(outcome.code == 7)
        #expect(outcome.outcome("a") == "deferred")
        _ = try server.waitForLine(containing: "cut")
        let sent = try sentFromReset(packets)
        #expect(!sent.isEmpty)
        #expect(sent.filter { !$0.hasSuffix(" rst") }.isEmpty)
        server.signal(9)
    }

    @Test func `a transfer continues over another link when its own becomes forbidden`() throws {
        try links.root.write(TwoLinks.longContent, to: "file")
        try links.ip("route add \(TwoLinks.address) via \(TwoLinks.wiredAddress) metric 5")
        try links.ip("route add \(TwoLinks.address) via \(TwoLinks.cellularAddress) metric 6")
        let job = try JobFolder(
            Self.classes + """
                sessions: { careful: { allowsCellularAccess: false } }
                downloads: { a: { url: "\(TwoLinks.url("held/file"))", to: file } }
                """
        )
        let packets = try links.packets(of: "eth0")
        let running = try links.start(job)
        try packets.waitForResponse()
        try links.ip("route add \(Self.wiredRoute)")
        let outcome = try running.finish().reported(in: job.folder)
        #expect(outcome.code == 0)
        #expect(try job.folder.read("file") == TwoLinks.longContent)
        #expect(!outcome.command.standardError.contains("waiting"))
        #expect(outcome.attempts("a").map { $0["outcome"]?.string } == ["deferred", "succeeded"])
        let interfaces = outcome.exchanges("a").map { $0["extension"]?["networkInterface"]?.string }
        #expect(interfaces == ["eth0", "wwan0"])
    }

    @Test func `a connection is reset before its TLS handshake ends`() throws {
        let server = try links.silentServer(port: 8097)
        try links.ip("route add \(Self.otherRoute)")
        let job = try JobFolder(
            Self.classes + """
                sessions: { careful: { allowsCellularAccess: false } }
                data: { a: { url: "https://\(TwoLinks.wiredAddress):8097/" } }
                """
        )
        let packets = try links.packets(of: "eth0")
        let running = try links.start(job)
        _ = try packets.waitForLine(containing: "received")
        try links.ip("route add \(Self.wiredRoute)")
        let outcome = try running.finish().reported(in: job.folder)
        #expect(outcome.code == 7)
        #expect(outcome.outcome("a") == "deferred")
        #expect(try sentFromReset(packets).count == 1)
        _ = try server.finish()
    }

    @Test func `an idle connection is reset and sends nothing more`() throws {
        try links.root.write("hello", to: "a")
        try links.root.write(TwoLinks.longContent, to: "file")
        let job = try JobFolder(
            Self.classes + """
                sessions: { careful: { allowsCellularAccess: false }, free: {} }
                data: { a: { session: careful, url: "\(TwoLinks.url("a", at: TwoLinks.wiredAddress))" } }
                downloads: { b: { session: free, needs: [a], url: "\(TwoLinks.url("slow/file"))", to: file } }
                """
        )
        let packets = try links.packets(of: "eth0")
        let others = try links.packets(of: "wwan0")
        let running = try links.start(job)
        try others.waitForResponse()
        try links.ip("route add \(Self.wiredRoute)")
        _ = try packets.waitForLine(containing: " rst")
        #expect(try running.finish().reported(in: job.folder).code == 0)
        let sent = try sentFromReset(packets)
        #expect(sent.count == 1)
    }

    @Test func `each request of a resumed upload is kept from a forbidden link`() throws {
        let server = try links.slowUploadServer(port: 8094)
        let job = try JobFolder(
            Self.classes + """
                sessions: { careful: { allowsCellularAccess: false, waitsForConnectivity: true } }
                uploads: { a: { url: "http://\(TwoLinks.wiredAddress):8094/up", file: body.bin } }
                """
        )
        try job.folder.write([UInt8](repeating: 1, count: 8 << 20), to: "body.bin")
        try links.ip("route add \(Self.otherRoute)")
        let running = try links.start(job)
        _ = try server.waitForLine(containing: "order")
        try links.ip("route add \(Self.wiredRoute)")
        _ = try running.waitForLine(containing: "waiting")
        let packets = try links.packets(of: "eth0")
        try links.ip("route del \(Self.wiredRoute)")
        _ = try server.waitForLine(containing: "patch")
        try links.ip("route add \(Self.wiredRoute)")
        _ = try packets.waitForLine(containing: " rst")
        try links.ip("route del \(Self.wiredRoute)")
        let outcome = try running.finish().reported(in: job.folder)
        #expect(outcome.code == 0)
        for exchange in outcome.exchanges("a") {
            #expect(exchange["extension"]?["networkEnforcement"]?.string == "device")
        }
        server.signal(9)
        let lines = try server.finish().standardOutput.split(separator: "\n")
        #expect(lines.filter { $0 == "patch" }.count == 2)
        #expect(lines.filter { $0.hasPrefix("order") }.count == 1)
    }

    @Test func `cancelling a cut upload sends nothing over a forbidden link`() throws {
        let server = try links.slowUploadServer(port: 8095)
        try links.ip("route add \(TwoLinks.address) via \(TwoLinks.wiredAddress) metric 5")
        let job = try JobFolder(
            """
            version: 1
            network: { interfaces: [{ match: { name: "wwan*" }, kind: cellular }, { match: { name: "*" }, kind: wired, expensive: false }] }
            sessions: { s: { configuration: background, identifier: nightly, allowsCellularAccess: false } }
            uploads: { a: { url: "http://\(TwoLinks.address):8095/up", file: body.bin } }
            """
        )
        try job.folder.write([UInt8](repeating: 1, count: 3 << 20), to: "body.bin")
        let running = try links.start(job)
        _ = try server.waitForLine(containing: "order")
        try waitForFile("*.upload", in: job.folder)
        running.signal(9)
        _ = try running.finish()
        try links.ip("route del \(TwoLinks.address) via \(TwoLinks.wiredAddress) metric 5")
        let packets = try links.packets(of: "wwan0")
        let cancelled = try links.unprivileged(job.command(["cancel", "nightly"])).run()
        #expect(cancelled.status == .exit(0))
        #expect(cancelled.standardOutput.contains("nightly: cancelled"))
        #expect(try packets.finish().standardOutput == "ready\n")
        server.signal(9)
    }

    @Test(arguments: [(Self.wiredRoute, 2), (Self.otherRoute, 1)])
    func `of two addresses tried at once the winner is recorded`(
        route: String,
        attempts: Int
    ) throws {
        try links.root.write(TwoLinks.longContent, to: "file")
        try links.ip("-6 route add \(TwoLinks.address6) via \(TwoLinks.wiredAddress6)")
        let job = try JobFolder(
            Self.classes + """
                sessions: { careful: { allowsCellularAccess: false } }
                downloads: { a: { url: "\(TwoLinks.url("slow/file", at: TwoLinks.bothName))", to: file } }
                """
        )
        // The answers to both are lost, and then those to IPv4 alone.
        try links.ipThere("-6 route add blackhole fd00:1::2/128")
        try links.ipThere("route add blackhole 10.2.0.2/32")
        let packets = try links.packets(of: "eth0")
        let others = try links.packets(of: "wwan0")
        let running = try links.start(job)
        _ = try others.waitForLine(containing: "syn")
        try links.ipThere("-6 route del blackhole fd00:1::2/128")
        try packets.waitForResponse()
        try links.ip("route add \(route)")
        let outcome = try running.finish().reported(in: job.folder)
        #expect(outcome.code == 0)
        #expect(outcome.attempts("a").count == attempts)
        let exchange = outcome.exchanges("a").first
        #expect(exchange?["localAddress"]?.string == "fd00:1::2")
        #expect(exchange?["extension"]?["networkInterface"]?.string == "eth0")
    }

    @Test
    func `a connection from an address of no link is known by its interface when it is used again`()
        throws
    {
        try links.root.write("hello", to: "a")
        try links.root.write(TwoLinks.longContent, to: "file")
        try links.ip("address add 10.50.0.1/32 dev lo")
        try links.ipThere("route add 10.50.0.1/32 via 10.1.0.2")
        try links.ip("route add \(TwoLinks.address) via \(TwoLinks.wiredAddress) src 10.50.0.1")
        let job = try JobFolder(
            Self.classes + """
                sessions: { careful: { allowsCellularAccess: false } }
                data: { a: { url: "\(TwoLinks.url("a"))" } }
                downloads: { b: { needs: [a], url: "\(TwoLinks.url("held/file"))", to: file } }
                """
        )
        let running = try links.start(job)
        _ = try running.waitForLine(containing: "succeeded")
        let packets = try links.packets(of: "eth0")
        try packets.waitForResponse()
        try links.ip("route add \(Self.wiredRoute)")
        let outcome = try running.finish().reported(in: job.folder)
        #expect(outcome.outcome("a") == "succeeded")
        #expect(outcome.attempts("b").map { $0["outcome"]?.string } == ["deferred", "succeeded"])
        let exchange = outcome.exchanges("b").first
        #expect(exchange?["isReusedConnection"]?.bool == true)
        #expect(exchange?["localAddress"]?.string == "10.50.0.1")
        #expect(exchange?["extension"]?["networkInterface"]?.string == "eth0")
    }

    @Test func `an idle connection whose route has changed is not used again`() throws {
        try links.root.write("hello", to: "a")
        try links.root.write(TwoLinks.longContent, to: "file")
        let route = "\(TwoLinks.address) via \(TwoLinks.wiredAddress) metric 5"
        try links.ip("route add \(route)")
        let url = TwoLinks.url("a")
        let slow = TwoLinks.url("slow/file", at: TwoLinks.cellularAddress)
        let job = try JobFolder(
            Self.classes + """
                sessions: { careful: { allowsCellularAccess: false }, free: {} }
                data:
                  a: { session: careful, url: "\(url)" }
                  c: { session: careful, needs: [b], url: "\(url)" }
                downloads: { b: { session: free, needs: [a], url: "\(slow)", to: file } }
                """
        )
        let packets = try links.packets(of: "wwan0")
        let running = try links.withoutBinding(try job.runCommand()).start()
        try packets.waitForResponse()
        try links.ip("route del \(route)")
        let outcome = try running.finish().reported(in: job.folder)
        #expect(outcome.code == 0)
        #expect(outcome.attempts("c").count == 1)
        let exchange = outcome.exchanges("c").last
        #expect(exchange?["localAddress"]?.string == "10.2.0.2")
        #expect(exchange?["isReusedConnection"]?.bool == false)
    }

    @Test func `a multipath transfer outlives one of its links`() throws {
        let server = try links.multipathServer(port: 8096)
        try links.root.write(TwoLinks.longContent, to: "file")
        let own = "route add \(TwoLinks.address) via \(TwoLinks.wiredAddress) metric 5"
        try links.ip(own)
        try links.ip("mptcp endpoint add 10.2.0.2 dev wwan0 subflow")
        let job = try JobFolder(
            """
            version: 1
            network:
              interfaces:
                - { match: { name: "wwan*" }, kind: cellular }
                - { match: { name: "eth*" }, kind: wired, expensive: false }
            defaults: { urlCache: none, retry: { attempts: 1 } }
            sessions:
              several: { multipathServiceType: handover, waitsForConnectivity: true }
              one: { allowsCellularAccess: false, waitsForConnectivity: true }
            data: { a: { session: several, url: "http://\(TwoLinks.address):8096/held" } }
            downloads: { b: { session: one, url: "\(TwoLinks.url("slow/file", at: TwoLinks.wiredAddress))", to: file } }
            """
        )
        let packets = try links.packets(of: "wwan0")
        let others = try links.packets(of: "eth0")
        let running = try links.start(job)
        _ = try packets.waitForLine(containing: "syn multipath")
        _ = try others.waitForLine(containing: "received tcp 10.1.0.2")
        try links.ip("link set eth0 down")
        // The other one has seen it.
        _ = try running.waitForLine(containing: "waiting")
        server.signal(10)
        _ = try running.waitForLine(containing: "succeeded  a")
        try links.ip("link set eth0 up")
        let outcome = try running.finish().reported(in: job.folder)
        #expect(outcome.code == 0)
        #expect(outcome.attempts("a").count == 1)
        #expect(outcome.exchanges("a").first?["isMultipath"]?.bool == true)
        server.signal(9)
    }
}
