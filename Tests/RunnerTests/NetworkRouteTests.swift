import TestSupport
import Testing

/// By which interface a connection goes under a policy, bound to it or by the routes alone; the
/// links are as in `NetworkPolicyTests`.
@Suite struct NetworkRouteTests {
    private let links: TwoLinks

    init() throws { links = try TwoLinks() }

    @Test func `without socket binding the route is checked for each connection`() throws {
        try links.root.write("hello", to: "a")
        let job = try JobFolder(
            TwoLinks.classes + """
                sessions: { careful: { allowsCellularAccess: false } }
                data:
                  wired: { url: "\(TwoLinks.url("a", at: TwoLinks.wiredAddress))" }
                  again: { url: "\(TwoLinks.url("a", at: TwoLinks.wiredAddress))", needs: [wired] }
                  far: { url: "\(TwoLinks.url("a", at: TwoLinks.address))" }
                """
        )
        let packets = try links.packets(of: "wwan0")
        let command = links.withoutBinding(try job.runCommand())
        let outcome = try command.run().reported(in: job.folder)
        #expect(outcome.code == 7)
        #expect(outcome.outcome("far") == "deferred")
        for id in ["wired", "again"] {
            let exchange = outcome.exchanges(id).first
            #expect(exchange?["extension"]?["networkInterface"]?.string == "eth0")
            #expect(exchange?["extension"]?["networkEnforcement"]?.string == "route")
        }
        #expect(outcome.exchanges("again").first?["isReusedConnection"]?.bool == true)
        #expect(try packets.finish().standardOutput == "ready\n")
    }

    @Test func `a socket is bound by the interface's number in spite of a new name`() throws {
        try links.root.write("hello", to: "a")
        let job = try JobFolder(
            TwoLinks.classes + """
                sessions: { careful: { allowsCellularAccess: false } }
                data: { a: { url: "\(TwoLinks.url("a", at: TwoLinks.wiredAddress))" } }
                """
        )
        let command = links.withoutBinding(try job.runCommand(), by: [.bindToName])
        let outcome = try command.run().reported(in: job.folder)
        #expect(outcome.code == 0)
        let exchange = outcome.exchanges("a").first
        #expect(exchange?["extension"]?["networkEnforcement"]?.string == "device")
    }

    @Test(arguments: [
        "del \(TwoLinks.address) via \(TwoLinks.wiredAddress) metric 5",
        "add \(TwoLinks.address) via \(TwoLinks.cellularAddress) metric 1",
    ])
    func `without socket binding a transfer ends when its route changes`(
        change: String
    ) throws {
        try links.root.write(TwoLinks.longContent, to: "file")
        try links.ip("route add \(TwoLinks.address) via \(TwoLinks.wiredAddress) metric 5")
        let job = try JobFolder(
            TwoLinks.classes + """
                sessions: { careful: { allowsCellularAccess: false } }
                downloads: { a: { url: "\(TwoLinks.url("held/file", at: TwoLinks.address))", to: file } }
                """
        )
        let packets = try links.packets(of: "eth0")
        let running = try links.withoutBinding(try job.runCommand()).start()
        try packets.waitForResponse()
        try links.ip("route \(change)")
        let outcome = try running.finish().reported(in: job.folder)
        #expect(outcome.code == 7)
        #expect(outcome.outcome("a") == "deferred")
    }

    @Test func `a connection keeps its first interface, without another look`() throws {
        try links.root.write("hello", to: "a")
        // A lookup by the address alone yields `wwan0`.
        try links.ip("route add \(TwoLinks.address) via \(TwoLinks.wiredAddress) table 100")
        try links.ip(
            "rule add to \(TwoLinks.address) ipproto tcp dport \(TwoLinks.port) lookup 100"
        )
        let job = try JobFolder(
            """
            version: 1
            network:
              interfaces:
                - { match: { name: "wwan*" }, kind: wifi, expensive: false }
                - { match: { name: "eth*" }, kind: cellular }
            defaults: { urlCache: none, retry: { attempts: 1 } }
            sessions:
              free: { waitsForConnectivity: true }
            data:
              free: { session: free, url: "\(TwoLinks.url("a"))" }
            """
        )
        let outcome = try links.withoutBinding(try job.runCommand()).run().reported(in: job.folder)
        #expect(outcome.code == 0)
        let exchange = outcome.exchanges("free").first
        #expect(exchange?["localAddress"]?.string == "10.1.0.2")
        #expect(exchange?["extension"]?["networkInterface"]?.string == "eth0")
        #expect(exchange?["isCellular"]?.bool == true)
    }

    @Test func `a connection from another interface's address has its route's interface`() throws {
        try links.root.write("hello", to: "a")
        try links.ip("link add service type veth peer name nowhere")
        try links.ip("link set nowhere up")
        try links.ip("address add 10.4.0.1/32 dev service")
        try links.ip("link set service up")
        try links.ipThere("route add 10.4.0.1 via 10.1.0.2")
        try links.ip("route add \(TwoLinks.address) via \(TwoLinks.wiredAddress) src 10.4.0.1")
        let job = try JobFolder(
            TwoLinks.classes + """
                sessions: { free: { waitsForConnectivity: true }, careful: { allowsCellularAccess: false } }
                data:
                  free: { session: free, url: "\(TwoLinks.url("a"))" }
                  careful: { session: careful, url: "\(TwoLinks.url("a"))" }
                """
        )
        let outcome = try links.withoutBinding(try job.runCommand()).run().reported(in: job.folder)
        #expect(outcome.code == 0)
        for id in ["free", "careful"] {
            let exchange = outcome.exchanges(id).first
            #expect(exchange?["localAddress"]?.string == "10.4.0.1")
            #expect(exchange?["extension"]?["networkInterface"]?.string == "eth0")
        }
    }
}
