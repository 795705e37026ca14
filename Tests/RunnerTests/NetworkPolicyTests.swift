import SystemKit
import TestSupport
import Testing

/// Runs as an unprivileged user with two links to a server, the one of the default route classed as
/// cellular.
@Suite struct NetworkPolicyTests {
    private let links: TwoLinks

    init() throws { links = try TwoLinks() }

    private static let classes = """
        version: 1
        network:
          interfaces:
            - { match: { name: "wwan*" }, kind: cellular }
            - { match: { name: "eth*" }, kind: wired, expensive: false }
        defaults: { urlCache: none }

        """

    /// The interface members of an exchange.
    private func path(_ exchange: JSONValue?) -> [JSONValue?] {
        [
            exchange?["isCellular"], exchange?["isExpensive"], exchange?["isConstrained"],
            exchange?["extension"]?["networkInterface"],
            exchange?["extension"]?["networkEnforcement"],
        ]
    }

    @Test func `without another path a forbidden transfer is deferred and sends nothing`() throws {
        let job = try JobFolder(
            Self.classes + """
                sessions: { careful: { allowsCellularAccess: false } }
                data:
                  address: { url: "\(TwoLinks.url("a"))" }
                  link: { url: "\(TwoLinks.url("a", at: TwoLinks.cellularAddress))" }
                  address6: { url: "\(TwoLinks.url("a", at: "[\(TwoLinks.address6)]"))" }
                  link6: { url: "\(TwoLinks.url("a", at: "[\(TwoLinks.cellularAddress6)]"))" }
                  next: { url: "\(TwoLinks.url("a"))", needs: [address] }
                """
        )
        let packets = try links.packets(of: "wwan0")
        let outcome = try links.run(job)
        #expect(outcome.code == 7)
        for id in ["address", "link", "address6", "link6"] {
            let task = try #require(outcome.task(id))
            #expect(task["outcome"]?.string == "deferred")
            #expect(task["error"]?["kind"]?.string == "network")
            #expect(task["error"]?["networkUnavailableReason"]?.string == "cellular")
            #expect(task["error"]?["urlError"]?["code"]?.integer == -1020)
            #expect(task["error"]?["retryable"]?.bool == true)
            #expect(task["attempts"]?.elements.isEmpty == true)
        }
        #expect(outcome.outcome("next") == "skipped")
        #expect(try packets.finish().standardOutput == "ready\n")
    }

    @Test func `a forbidden transfer takes the other link when that has a route of its own`() throws
    {
        try links.root.write("hello", to: "a")
        try links.ip("route add \(TwoLinks.address) via \(TwoLinks.wiredAddress) metric 500")
        try links.ip("route add \(TwoLinks.address) via \(TwoLinks.cellularAddress) metric 5")
        let job = try JobFolder(
            Self.classes + """
                sessions:
                  free: {}
                  careful: { allowsCellularAccess: false }
                data:
                  free: { session: free, url: "\(TwoLinks.url("a"))" }
                  careful: { session: careful, url: "\(TwoLinks.url("a"))" }
                  tight: { session: free, allowsExpensiveNetworkAccess: false, url: "\(TwoLinks.url("a"))" }
                """
        )
        let packets = try links.packets(of: "eth0")
        let outcome = try links.run(job)
        #expect(outcome.code == 0)
        let free = try #require(outcome.exchanges("free").first)
        #expect(free["localAddress"]?.string == "10.2.0.2")
        #expect(path(free) == [.null, .null, .null, .null, .null])
        for id in ["careful", "tight"] {
            let exchange = try #require(outcome.exchanges(id).first)
            #expect(exchange["localAddress"]?.string == "10.1.0.2")
            #expect(
                path(exchange) == [
                    .bool(false), .bool(false), .bool(false), .string("eth0"), .string("device"),
                ]
            )
        }
        // One connection for each of the two: neither the free session nor the policies share
        // connections.
        let lines = try packets.finish().standardOutput.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("sent") && $0.hasSuffix("syn") }.count == 2)
    }

    @Test func `sessions and tasks that allow and forbid at once never share a connection`() throws
    {
        try links.root.write("hello", to: "a")
        try links.ip("route add \(TwoLinks.address) via \(TwoLinks.wiredAddress) metric 500")
        try links.ip("route add \(TwoLinks.address) via \(TwoLinks.cellularAddress) metric 5")
        let tasks = (0..<40).map { index in
            let session = index % 2 == 0 ? "free" : "careful"
            return "  t\(index): { session: \(session), url: \"\(TwoLinks.url("a"))\" }"
        }
        let job = try JobFolder(
            Self.classes + """
                sessions:
                  free: { httpMaximumConnectionsPerHost: 2 }
                  careful: { httpMaximumConnectionsPerHost: 2, allowsCellularAccess: false }
                schedule: { maxConcurrentTasks: 4 }
                data:
                \(tasks.joined(separator: "\n"))
                """
        )
        let outcome = try links.run(job)
        #expect(outcome.code == 0)
        for index in 0..<40 {
            let exchange = outcome.exchanges("t\(index)").first
            let address = index % 2 == 0 ? "10.2.0.2" : "10.1.0.2"
            #expect(exchange?["localAddress"]?.string == address)
        }
    }

    @Test func `a task waits for a link and starts within a second when it is up`() throws {
        try links.root.write("hello", to: "a")
        let job = try JobFolder(
            Self.classes + """
                sessions: { careful: { allowsCellularAccess: false, waitsForConnectivity: true } }
                data: { a: { url: "\(TwoLinks.url("a", at: TwoLinks.wiredAddress))" } }
                """
        )
        var fastest = Int64.max
        // A machine under load may be late; it is not each time.
        for _ in 0..<20 where fastest >= 1_000_000 {
            try links.ip("link set eth0 down")
            let running = try links.start(job)
            _ = try running.waitForLine(containing: "waiting")
            let told = Clock.monotonicNanoseconds()
            try links.ip("link set eth0 up")
            let before = (Clock.monotonicNanoseconds() - told) / 1000
            let outcome = try running.finish().reported(in: job.folder)
            #expect(outcome.code == 0)
            let lines = outcome.command.standardError.split(separator: "\n")
            #expect(lines.filter { $0.dropFirst(9).hasPrefix("waiting") }.count == 1)
            let attempts = outcome.attempts("a")
            #expect(attempts.count == 1)
            #expect(attempts.first?["waitReason"]?.string == "connectivity")
            let waited = try #require(attempts.first?["waitedUs"]?.integer)
            // An event that is missed costs half a minute.
            #expect(waited > 0 && waited < 20_000_000)
            fastest = min(fastest, Int64(waited) - before)
        }
        #expect(fastest < 1_000_000)
    }

    @Test func `a wait ends with the resource timeout, and the task is deferred`() throws {
        let job = try JobFolder(
            Self.classes + """
                sessions:
                  careful: { allowsCellularAccess: false, waitsForConnectivity: true, timeoutIntervalForResource: 300ms }
                data: { a: { url: "\(TwoLinks.url("a"))" } }
                """
        )
        let outcome = try links.run(job)
        #expect(outcome.code == 7)
        #expect(outcome.outcome("a") == "deferred")
        #expect(outcome.kind("a") == "network")
    }

    @Test func `a download waits while its link is down and then resumes`() throws {
        let content = FileContent.patterned(6 << 20)
        try links.root.write(content, to: "file")
        let job = try JobFolder(
            Self.classes + """
                sessions: { careful: { allowsCellularAccess: false, waitsForConnectivity: true } }
                downloads: { a: { url: "\(TwoLinks.url("slow/file", at: TwoLinks.wiredAddress))", to: file } }
                """
        )
        let packets = try links.packets(of: "eth0")
        let running = try links.start(job)
        try packets.waitForResponse()
        try links.ip("link set eth0 down")
        _ = try running.waitForLine(containing: "waiting")
        try links.ip("link set eth0 up")
        let outcome = try running.finish().reported(in: job.folder)
        #expect(outcome.code == 0)
        #expect(try job.folder.read("file") == content)
        #expect(outcome.attempts("a").map { $0["outcome"]?.string } == ["deferred", "succeeded"])
        #expect(outcome.attempts("a").last?["waitReason"]?.string == "connectivity")
    }

    @Test(arguments: [
        ("default", 0), ("background", 8), ("responsiveData", 18), ("avStreaming", 26),
        ("responsiveAV", 32), ("video", 34), ("callSignaling", 40), ("voice", 46),
    ])
    func `a service type marks the first packet`(type: String, codePoint: Int) throws {
        try links.root.write("hello", to: "a")
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { networkServiceType: \(type), urlCache: none } }
            data:
              a: { url: "\(TwoLinks.url("a"))" }
              b: { url: "\(TwoLinks.url("a", at: "[\(TwoLinks.address6)]"))" }
            """
        )
        let packets = try links.packets(of: "wwan0")
        #expect(try links.run(job).code == 0)
        let lines = try packets.finish().standardOutput.split(separator: "\n")
        for address in [TwoLinks.address, "[\(TwoLinks.address6)]"] {
            let sent = lines.filter { $0.hasPrefix("sent tcp \(address):\(TwoLinks.port) ") }
            #expect(sent.first?.hasSuffix("dscp \(codePoint) syn") == true)
            #expect(sent.allSatisfy { $0.contains("dscp \(codePoint)") })
        }
    }

    @Test func `a service type is the priority of the first packet`() throws {
        let priorities = [
            ("default", "0"), ("background", "0x1"), ("responsiveData", "0x3"),
            ("avStreaming", "0x4"), ("responsiveAV", "0x5"), ("video", "0x5"),
            ("callSignaling", "0x6"), ("voice", "0x6"),
        ]
        // No host answers there, so that the sockets stay in the state of their first packet.
        let nobody = "10.1.0.77"
        try links.ip("neighbor add \(nobody) lladdr 02:00:00:00:00:77 dev eth0")
        let sessions = priorities.map { "  \($0.0): { networkServiceType: \($0.0) }" }
        let tasks = priorities.indices.map { index in
            "  t\(index): { session: \(priorities[index].0), url: \"http://\(nobody):900\(index)/\" }"
        }
        let job = try JobFolder(
            """
            version: 1
            sessions:
            \(sessions.joined(separator: "\n"))
            schedule: { maxConcurrentTasks: 8 }
            data:
            \(tasks.joined(separator: "\n"))
            """
        )
        let packets = try links.packets(of: "eth0")
        let running = try links.start(job)
        for index in priorities.indices {
            _ = try packets.waitForLine(containing: "sent tcp \(nobody):900\(index) ")
        }
        // ss(8) calls it the class where no control group has another.
        let sockets = try links.sockets("-HOtn --tos state syn-sent").split(separator: "\n")
        for (index, (type, priority)) in priorities.enumerated() {
            let socket = sockets.first { $0.contains("\(nobody):900\(index) ") }
            let last = socket?.split(separator: " ").last
            #expect(last.map(String.init) == "class_id:\(priority)", "\(type)")
        }
        running.signal(9)
        _ = try running.finish()
    }

    @Test func `a session with marks uses plain TCP where Multipath TCP has none`() throws {
        try links.root.write("hello", to: "a")
        let job = try JobFolder(
            """
            version: 1
            defaults: { urlCache: none }
            sessions: { s: { networkServiceType: voice, multipathServiceType: handover } }
            data:
              a: { url: "\(TwoLinks.url("a"))" }
              b: { url: "\(TwoLinks.url("a", at: "[\(TwoLinks.address6)]"))" }
            """
        )
        let packets = try links.packets(of: "wwan0")
        #expect(try links.run(job).code == 0)
        let lines = try packets.finish().standardOutput.split(separator: "\n")
        let marks = [TwoLinks.address: "syn multipath", "[\(TwoLinks.address6)]": "syn"]
        for (address, mark) in marks {
            let sent = lines.filter { $0.hasPrefix("sent tcp \(address):\(TwoLinks.port) ") }
            #expect(sent.first?.hasSuffix("dscp 46 \(mark)") == true)
            #expect(sent.allSatisfy { $0.contains("dscp 46") })
        }
    }

    @Test func `a connection to a server with Multipath TCP is reported as such`() throws {
        try links.root.write("hello", to: "a")
        let server = try links.multipathServer(port: 8090)
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { multipathServiceType: handover } }
            data:
              several: { url: "http://\(TwoLinks.address):8090/" }
              one: { url: "\(TwoLinks.url("a"))" }
            """
        )
        let packets = try links.packets(of: "wwan0")
        let outcome = try links.run(job)
        #expect(outcome.code == 0)
        #expect(outcome.exchanges("several").first?["isMultipath"]?.bool == true)
        #expect(outcome.exchanges("one").first?["isMultipath"]?.bool == false)
        let sent = try packets.finish().standardOutput
        #expect(sent.contains("sent tcp \(TwoLinks.address):8090 dscp 0 syn multipath"))
        server.signal(9)
    }

    @Test func `interfaces lists each interface's class and the sessions that may use it`() throws {
        let job = try JobFolder(
            Self.classes + """
                sessions:
                  careful: { allowsCellularAccess: false }
                  free: {}
                """
        )
        let command = try job.command(["interfaces", "job.yaml"])
        let text = try links.unprivileged(command).run().standardOutput
        #expect(text.contains("session careful: eth0\n"))
        #expect(text.contains("session free: eth0, wwan0\n"))
        let asked = try job.command(["interfaces", "job.yaml", "--format", "json"])
        let report = try JSONValue(links.unprivileged(asked).run().standardOutput)
        let modem = report["interfaces"]?.elements.first { $0["name"]?.string == "wwan0" }
        #expect(modem?["kind"]?.string == "cellular")
        #expect(modem?["isExpensive"]?.bool == true)
        #expect(modem?["isUsable"]?.bool == true)
        #expect(modem?["addresses"]?.elements == [.string("10.2.0.2"), .string("fd00:2::2")])
    }

    @Test func `plan shows each session's usable interfaces where that matters`() throws {
        let job = try JobFolder(
            Self.classes + """
                sessions:
                  careful: { allowsCellularAccess: false }
                  free: {}
                """
        )
        let text = try links.unprivileged(job.command(["plan", "job.yaml"])).run().standardOutput
        #expect(text.contains("session careful (line 8)\n  can use now: eth0\n"))
        #expect(text.contains("session free (line 9)\n  can use now: eth0, wwan0\n"))
        let asked = try job.command(["plan", "job.yaml", "--format", "json"])
        let listing = try JSONValue(links.unprivileged(asked).run().standardOutput)
        let sessions = listing["sessions"]?.elements.map { $0["interfaces"]?.elements }
        #expect(sessions == [[.string("eth0")], [.string("eth0"), .string("wwan0")]])
        let other = try JobFolder("version: 1\ndata: { a: { url: \"https://example.com/\" } }")
        let plain = try other.runner(["plan", "job.yaml"]).standardOutput
        #expect(!plain.contains("can use now"))
    }

    @Test func `a file of the machine classes interfaces for every job`() throws {
        let job = try JobFolder(
            """
            version: 1
            sessions: { careful: { allowsExpensiveNetworkAccess: false } }
            data: { a: { url: "\(TwoLinks.url("a"))" } }
            """
        )
        let file = try job.folder.write(
            "interfaces: [{ match: { name: wwan0 }, expensive: true }]",
            to: "network.yaml"
        )
        var command = try job.runCommand()
        command.environment["RUNNER_NETWORK_FILE"] = file
        let outcome = try links.unprivileged(command).run().reported(in: job.folder)
        #expect(outcome.code == 7)
        let error = outcome.task("a")?["error"]
        #expect(error?["networkUnavailableReason"]?.string == "expensive")
        #expect(error?["urlError"]?["code"]?.integer == -1009)
    }
}
