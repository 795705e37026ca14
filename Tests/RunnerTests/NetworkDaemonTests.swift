import TestSupport
import Testing

/// Daemons' answers about interfaces, by the test's own `busctl`; the links are as in
/// `NetworkPolicyTests`.
@Suite struct NetworkDaemonTests {
    private let links: TwoLinks
    /// The folder of the program and its answers.
    private let bus: TemporaryFolder

    init() throws {
        links = try TwoLinks()
        try links.showBus()
        try links.root.write("hello", to: "a")
        bus = try TemporaryFolder()
    }

    /// Lets NetworkManager call `eth0` metered or not, after some lines of a shell.
    private func answer(metered: Bool, after script: String = "") throws {
        let device = """
            {"Interface":{"type":"s","data":"eth0"},"DeviceType":{"type":"u","data":1},\
            "Metered":{"type":"u","data":\(metered ? 1 : 2)}}
            """
        try answer(with: "\"/1\":{\"\(Self.manager).Device\":\(device)}", after: script)
    }

    private static let manager = "org.freedesktop.NetworkManager"

    /// Lets NetworkManager answer with objects, after some lines of a shell.
    private func answer(with objects: String, after script: String = "") throws {
        let answer = "{\"type\":\"a{oa{sa{sv}}}\",\"data\":[{\(objects)}]}"
        let program = """
            #!/bin/sh
            case "$*" in *NetworkManager*) ;; *) exit 1 ;; esac
            \(script)
            echo '\(answer)'
            """
        try bus.write(program, to: "new")
        let words = ["-c", "chmod +x new && mv new busctl"]
        var command = Command("sh", words)
        command.workingFolder = bus.path
        #expect(try command.run().status == .exit(0))
    }

    private func start(_ job: JobFolder) throws -> RunningCommand {
        var command = try job.runCommand(["--progress", "plain"])
        command.environment["PATH"] = "\(bus.path):/usr/bin:/bin"
        return try links.unprivileged(command).start()
    }

    /// A task that forbids interfaces by a flag: `eth0` is cellular behind a gateway of its own,
    /// `wwan0` always.
    private func job(flag: String, url: String) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            network:
              interfaces:
                - { match: { name: "wwan*" }, kind: cellular }
                - { match: { gateway: \(TwoLinks.wiredAddress) }, kind: cellular }
                - { match: { name: "eth*" }, kind: wired }
            defaults: { urlCache: none, retry: { attempts: 1 } }
            sessions:
              careful: { \(flag): false, waitsForConnectivity: true, timeoutIntervalForResource: 60s }
            data: { a: { url: "\(url)" } }
            """
        )
    }

    /// Shell lines that delay an answer and announce it.
    private var slowly: String { "sleep 0.5; echo >> \(bus.path)/asked" }

    /// Waits until the daemons have been asked so often.
    private func waitUntilAsked(_ count: Int) throws {
        try bus.waitForSize(of: "asked", count)
    }

    /// A change that the kernel reports and that affects no transfer.
    private func change(_ number: Int) throws {
        try links.ip("address add 10.3.0.\(number)/32 dev lo")
    }

    @Test func `a link that comes up is not used before the daemons have said what it is now`()
        throws
    {
        try answer(metered: false)
        try links.ip("link set eth0 down")
        let packets = try links.packets(of: "eth0")
        let job = try job(
            flag: "allowsExpensiveNetworkAccess",
            url: TwoLinks.url("a", at: TwoLinks.wiredAddress)
        )
        let running = try start(job)
        _ = try running.waitForLine(containing: "waiting")
        try answer(metered: true, after: slowly)
        try links.ip("link set eth0 up")
        try waitUntilAsked(1)
        try change(1)
        // The monitor has received the first answer by the second question.
        try waitUntilAsked(2)
        #expect(try packets.finish().standardOutput == "ready\n")
        try answer(metered: false)
        try change(2)
        let outcome = try running.finish().reported(in: job.folder)
        #expect(outcome.code == 0)
        #expect(outcome.attempts("a").count == 1)
        #expect(outcome.exchanges("a").first?["isExpensive"]?.bool == false)
    }

    @Test func `a link is what its gateway says at once, also while the daemons are asked`() throws
    {
        try answer(metered: false)
        // No rule matches this interface, so that the monitor asks the daemons.
        try links.ip("link add spare type veth peer name nowhere")
        try links.ip("link set spare up")
        let packets = try links.packets(of: "eth0")
        let job = try job(flag: "allowsCellularAccess", url: TwoLinks.url("a"))
        let running = try start(job)
        _ = try running.waitForLine(containing: "waiting")
        try answer(metered: false, after: slowly)
        try links.ip("route add default via \(TwoLinks.wiredAddress) metric 10")
        try waitUntilAsked(1)
        try change(1)
        // By the second question the monitor has long known the effect of the gateway.
        try waitUntilAsked(2)
        #expect(try packets.finish().standardOutput == "ready\n")
        running.signal(2)
        #expect(try running.finish().status == .exit(130))
    }

    @Test func `a transfer ends when a daemon calls its link metered`() throws {
        try answer(metered: false)
        let server = try links.silentServer(port: 8098)
        let packets = try links.packets(of: "eth0")
        let job = try job(
            flag: "allowsExpensiveNetworkAccess",
            url: "http://\(TwoLinks.wiredAddress):8098/"
        )
        let running = try start(job)
        _ = try packets.waitForLine(containing: "received")
        try answer(metered: true)
        try change(1)
        _ = try running.waitForLine(containing: "waiting")
        running.signal(2)
        #expect(try running.finish().status == .exit(130))
        _ = try packets.waitForLine(containing: " rst")
        _ = try server.finish()
    }

    @Test func `a signal during the daemons' answers ends the run before any request`() throws {
        try answer(metered: false, after: "echo >> \(bus.path)/asked; exec sleep 100")
        let packets = try links.packets(of: "eth0")
        let job = try job(
            flag: "allowsExpensiveNetworkAccess",
            url: TwoLinks.url("a", at: TwoLinks.wiredAddress)
        )
        let running = try start(job)
        try waitUntilAsked(1)
        running.signal(2)
        let outcome = try running.finish()
        #expect(outcome.status == .exit(130))
        #expect(try packets.finish().standardOutput == "ready\n")
    }

    @Test(arguments: [("cafe 7", "wwan0"), ("home", "eth0")])
    func `a rule for a Wi-Fi network forbids an interface in that network only`(
        network: String,
        interface: String
    ) throws {
        try links.root.write("hello", to: "a")
        let name = network.utf8.map { "\($0)" }.joined(separator: ",")
        try answer(
            with: """
                "/1":{"\(Self.manager).Device":{"Interface":{"type":"s","data":"eth0"},\
                "DeviceType":{"type":"u","data":2}},\
                "\(Self.manager).Device.Wireless":{"ActiveAccessPoint":{"type":"o","data":"/2"}}},\
                "/2":{"\(Self.manager).AccessPoint":{"Ssid":{"type":"ay","data":[\(name)]}}}
                """
        )
        let job = try JobFolder(
            """
            version: 1
            network:
              interfaces:
                - { match: { ssid: "cafe*" }, kind: wifi, expensive: false, constrained: true }
                - { match: { name: "eth*" }, kind: wifi, expensive: false }
            defaults: { urlCache: none, allowsConstrainedNetworkAccess: false }
            data: { a: { url: "\(TwoLinks.url("a", at: TwoLinks.wiredAddress))" } }
            """
        )
        let outcome = try start(job).finish().reported(in: job.folder)
        #expect(outcome.code == 0, "\(outcome.command.standardError)")
        let exchange = outcome.exchanges("a").first
        #expect(exchange?["extension"]?["networkInterface"]?.string == interface)
    }

    @Test func `silent daemons delay nothing if rules decide everything`() throws {
        try links.root.write("hello", to: "a")
        try answer(metered: false, after: "echo >> \(bus.path)/asked; exec sleep 1000")
        let job = try JobFolder(
            """
            version: 1
            network:
              interfaces:
                - { match: { name: "wwan*" }, kind: cellular }
                - { match: { name: "eth*" }, kind: wired, expensive: false }
            defaults: { urlCache: none, retry: { attempts: 1 } }
            sessions: { careful: { allowsCellularAccess: false } }
            data: { a: { url: "\(TwoLinks.url("a", at: TwoLinks.wiredAddress))" } }
            """
        )
        let outcome = try start(job).finish().reported(in: job.folder)
        #expect(outcome.code == 0)
        #expect(!bus.contains("asked"))
    }
}
