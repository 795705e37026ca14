import TestSupport
import Testing

/// Connections under a policy whose ways change; the links are as in `NetworkPolicyTests`.
@Suite struct NetworkConnectionTests {
    private let links: TwoLinks

    init() throws { links = try TwoLinks() }

    private func makeExpensive() throws {
        try links.ip("route add default via \(TwoLinks.wiredAddress) metric 900")
    }

    @Test func `this machine is permitted at its address of a forbidden interface`() throws {
        try links.root.write("hello", to: "a")
        let server = try links.ownServer(port: 8081)
        let job = try JobFolder(
            TwoLinks.classes + """
                sessions: { careful: { allowsCellularAccess: false, waitsForConnectivity: true } }
                data: { a: { url: "http://\(TwoLinks.ownAddress):8081/a" } }
                """
        )
        let outcome = try links.run(job)
        #expect(outcome.code == 0)
        let exchange = try #require(outcome.exchanges("a").first)
        #expect(exchange["isCellular"]?.isNull == true)
        #expect(exchange["extension"]?["networkInterface"]?.isNull == true)
        server.signal(9)
    }

    @Test func `a rule matches an interface by the gateway of its default route`() throws {
        let job = try JobFolder(
            """
            version: 1
            network:
              interfaces: [{ match: { gateway: \(TwoLinks.cellularAddress6) }, kind: bluetooth }]
            sessions: { s: {} }
            """
        )
        let asked = try job.command(["interfaces", "job.yaml", "--format", "json"])
        let report = try JSONValue(links.unprivileged(asked).run().standardOutput)
        let kinds = report["interfaces"]?.elements.map { $0["kind"]?.string } ?? []
        #expect(kinds.filter { $0 == "bluetooth" }.count == 1)
        let modem = report["interfaces"]?.elements.first { $0["name"]?.string == "wwan0" }
        #expect(modem?["kind"]?.string == "bluetooth")
    }

    @Test func `a tunnel to a peer behind the modem is cellular`() throws {
        try links.ip("link add vpn0 type vxlan id 5 dstport 4789 remote \(TwoLinks.address)")
        try links.ip("link add vpn1 type vxlan id 6 dstport 4789 remote \(TwoLinks.wiredAddress)")
        let job = try JobFolder(TwoLinks.classes + "sessions: { s: {} }")
        let asked = try job.command(["interfaces", "job.yaml", "--format", "json"])
        let report = try JSONValue(links.unprivileged(asked).run().standardOutput)
        let cellular = ["vpn0", "vpn1"].map { name in
            report["interfaces"]?.elements.first { $0["name"]?.string == name }?["isCellular"]
        }
        #expect(cellular == [.bool(true), .bool(false)])
    }

    @Test func `a transfer ends when its interface becomes forbidden, and is deferred`() throws {
        try links.root.write(TwoLinks.longContent, to: "file")
        let job = try JobFolder(
            TwoLinks.classes + """
                sessions: { careful: { allowsCellularAccess: false } }
                downloads: { a: { url: "\(TwoLinks.url("held/file", at: TwoLinks.wiredAddress))", to: file } }
                """
        )
        let packets = try links.packets(of: "eth0")
        let running = try links.start(job)
        try packets.waitForResponse()
        try makeExpensive()
        let outcome = try running.finish().reported(in: job.folder)
        #expect(outcome.code == 7)
        #expect(outcome.outcome("a") == "deferred")
        let error = outcome.task("a")?["error"]
        #expect(error?["networkUnavailableReason"]?.string == "cellular")
    }

    @Test func `a mirror over a permitted link is requested before any wait`() throws {
        try links.root.write("hello", to: "a")
        let job = try JobFolder(
            TwoLinks.classes + """
                sessions: { careful: { allowsCellularAccess: false, waitsForConnectivity: true } }
                downloads:
                  a:
                    url: "\(TwoLinks.url("a", at: TwoLinks.address))"
                    mirrors: ["\(TwoLinks.url("a", at: TwoLinks.wiredAddress))"]
                    to: a
                """
        )
        let outcome = try links.run(job)
        #expect(outcome.code == 0)
        #expect(!outcome.command.standardError.contains("waiting"))
        #expect(!outcome.command.standardError.contains("attempt 0"))
    }

    @Test func `a redirect to a host without a permitted link defers the task`() throws {
        let job = try JobFolder(
            TwoLinks.classes + """
                sessions: { careful: { allowsCellularAccess: false } }
                data:
                  a: { url: "\(TwoLinks.url("away", at: TwoLinks.wiredAddress))", retry: { attempts: 3 } }
                """
        )
        let packets = try links.packets(of: "wwan0")
        let outcome = try links.run(job)
        #expect(outcome.code == 7)
        #expect(outcome.outcome("a") == "deferred")
        let error = outcome.task("a")?["error"]
        #expect(error?["networkUnavailableReason"]?.string == "cellular")
        #expect(outcome.attempts("a").count == 1)
        #expect(try packets.finish().standardOutput == "ready\n")
    }

    @Test(arguments: [("eth0", "wwan0"), ("wwan0", "eth0")])
    func `a link-local peer is reached over the link of its zone alone`(
        permitted: String,
        forbidden: String
    ) throws {
        try links.root.write("hello", to: "a")
        func url(_ interface: String) -> String {
            let isWired = interface == "eth0"
            let peer = isWired ? TwoLinks.wiredLinkAddress : TwoLinks.cellularLinkAddress
            return TwoLinks.url("a", at: "[\(peer)%25\(interface)]")
        }
        let job = try JobFolder(
            """
            version: 1
            network:
              interfaces:
                - { match: { name: \(forbidden) }, kind: cellular }
                - { match: { name: \(permitted) }, kind: wired, expensive: false }
            defaults: { urlCache: none, retry: { attempts: 1 } }
            sessions: { careful: { allowsCellularAccess: false } }
            data:
              own: { url: "\(url(permitted))" }
              other: { url: "\(url(forbidden))" }
              gone: { url: "\(TwoLinks.url("a", at: "[\(TwoLinks.wiredLinkAddress)%25eth7]"))" }
            """
        )
        let packets = try links.packets(of: forbidden)
        let outcome = try links.withoutBinding(try job.runCommand()).run().reported(in: job.folder)
        #expect(outcome.code == 7)
        #expect(outcome.outcome("own") == "succeeded")
        let exchange = outcome.exchanges("own").first
        #expect(exchange?["extension"]?["networkInterface"]?.string == permitted)
        for (id, reason) in [("other", "cellular"), ("gone", nil)] {
            #expect(outcome.outcome(id) == "deferred")
            let error = outcome.task(id)?["error"]
            #expect(error?["networkUnavailableReason"]?.string == reason)
        }
        #expect(try packets.finish().standardOutput == "ready\n")
        let bound = try links.run(job)
        #expect(bound.outcome("own") == "succeeded")
        #expect(bound.outcome("other") == "deferred")
    }

    private static let moves = [
        (
            TwoLinks.address, ["link set eth0 down"], "10.2.0.2"
        ),
        (
            TwoLinks.wiredAddress,
            ["address add 10.1.0.5/25 dev eth0", "address del 10.1.0.2/24 dev eth0"], "10.1.0.5"
        ),
    ]

    @Test(arguments: ["true", "true, allowsCellularAccess: false"], moves)
    func `a transfer that loses its link continues at once over another path`(
        waits: String,
        move: (address: String, changes: [String], own: String)
    ) throws {
        try links.root.write(TwoLinks.longContent, to: "file")
        try links.ip("route add \(TwoLinks.address) via \(TwoLinks.wiredAddress) metric 5")
        let job = try JobFolder(
            """
            version: 1
            network:
              interfaces:
                - { match: { name: "wwan*" }, kind: wifi, expensive: false }
                - { match: { name: "eth*" }, kind: wired, expensive: false }
            defaults: { urlCache: none, retry: { attempts: 1 } }
            sessions: { s: { waitsForConnectivity: \(waits) } }
            downloads: { a: { url: "\(TwoLinks.url("held/file", at: move.address))", to: file } }
            """
        )
        let packets = try links.packets(of: "eth0")
        let running = try links.start(job)
        try packets.waitForResponse()
        for change in move.changes { try links.ip(change) }
        let outcome = try running.finish().reported(in: job.folder)
        #expect(outcome.code == 0)
        #expect(try job.folder.read("file") == TwoLinks.longContent)
        #expect(!outcome.command.standardError.contains("waiting"))
        #expect(outcome.attempts("a").map { $0["outcome"]?.string } == ["deferred", "succeeded"])
        #expect(outcome.exchanges("a").last?["localAddress"]?.string == move.own)
    }

    @Test func `a host without a path delays no task of another host`() throws {
        try links.root.write("hello", to: "a")
        let job = try JobFolder(
            TwoLinks.classes + """
                sessions:
                  careful: { allowsCellularAccess: false, waitsForConnectivity: true, timeoutIntervalForResource: 2s }
                schedule: { maxConcurrentTasks: 1 }
                data:
                  far: { url: "\(TwoLinks.url("a", at: TwoLinks.address))", priority: high }
                  near: { url: "\(TwoLinks.url("a", at: TwoLinks.wiredAddress))" }
                """
        )
        let outcome = try links.run(job)
        #expect(outcome.code == 7)
        #expect(outcome.outcome("near") == "succeeded")
        #expect(outcome.outcome("far") == "deferred")
        let held = try #require(outcome.task("far")?["extension"]?["heldUs"]?.integer)
        #expect(held > 0)
        #expect(outcome.task("near")?["extension"]?["heldUs"]?.isNull == true)
    }

    @Test(arguments: [("none", 1, ["order none"]), ("auto", 0, [])])
    func `an order whose link flaps is never sent twice without a key`(
        key: String,
        code: Int32,
        orders: [String]
    ) throws {
        let server = try links.slowUploadServer(port: 8092)
        let job = try JobFolder(
            TwoLinks.classes + """
                sessions: { careful: { allowsCellularAccess: false, waitsForConnectivity: true } }
                uploads:
                  order:
                    url: "http://\(TwoLinks.wiredAddress):8092/"
                    file: body.bin
                    idempotencyKey: \(key)
                    resumable: none
                    retry: { attempts: 4 }
                """
        )
        try job.folder.write([UInt8](repeating: 1, count: 2 << 20), to: "body.bin")
        let running = try links.start(job)
        _ = try server.waitForLine(containing: "order")
        try links.ip("link set eth0 down")
        _ = try running.waitForLine(containing: "order")
        try links.ip("link set eth0 up")
        // Too short for everybody to hear of it.
        try links.ip("link set eth0 down")
        try links.ip("link set eth0 up")
        let outcome = try running.finish().reported(in: job.folder)
        #expect(outcome.code == code)
        server.signal(9)
        let lines = try server.finish().standardOutput.split(separator: "\n").filter {
            $0.hasPrefix("order")
        }
        if key == "none" {
            #expect(lines.map(String.init) == orders)
            #expect(
                outcome.task("order")?["error"]?["message"]?.string?.contains("outcome unknown")
                    == true
            )
        } else {
            #expect(Set(lines).count == 1)
        }
    }

    @Test func `a run with multipath warns when the machine has one path`() throws {
        try links.root.write("hello", to: "a")
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { multipathServiceType: handover } }
            data: { a: { url: "\(TwoLinks.url("a", at: TwoLinks.address))" } }
            """
        )
        let warning = "session `s` asks for Multipath TCP, but this machine has no endpoint"
        let alone = try links.run(job)
        #expect(alone.code == 0)
        #expect(alone.command.standardError.contains(warning))
        try links.ip("mptcp endpoint add 10.1.0.2 dev eth0 subflow")
        #expect(try !links.run(job).command.standardError.contains(warning))
    }
}
