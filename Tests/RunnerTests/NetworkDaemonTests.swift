import TestSupport
import Testing

/// What daemons say of interfaces, by a `busctl` of the test's; the links are as in `NetworkPolicyTests`.
@Suite struct NetworkDaemonTests {
    private let links: TwoLinks
    /// Has the program and what it says.
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
        let answer = """
            {"type":"a{oa{sa{sv}}}","data":[{"/1":{"org.freedesktop.NetworkManager.Device":\(device)}}]}
            """
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

    private func job(resource: String) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            network: { interfaces: [{ match: { name: "wwan*" }, kind: cellular }] }
            defaults: { urlCache: none, retry: { attempts: 1 } }
            sessions:
              careful: { allowsExpensiveNetworkAccess: false, waitsForConnectivity: true, timeoutIntervalForResource: \(resource) }
            data: { a: { method: POST, url: "\(TwoLinks.url("a", at: TwoLinks.wiredAddress))" } }
            """
        )
    }

    @Test func `a link that comes up is not used before the daemons have said what it is now`()
        throws
    {
        try answer(metered: false)
        try links.ip("link set eth0 down")
        let packets = try links.packets(of: "eth0")
        let job = try job(resource: "5s")
        let running = try start(job)
        _ = try running.waitForLine(containing: "waiting")
        try answer(metered: true, after: "sleep 1")
        try links.ip("link set eth0 up")
        let outcome = try running.finish().reported(in: job.folder)
        #expect(outcome.code == 7)
        #expect(outcome.outcome("a") == "deferred")
        #expect(try packets.finish().standardOutput == "ready\n")
    }

    @Test func `a signal while the daemons are asked ends the run before anything is sent`() throws
    {
        try answer(metered: false, after: ": > \(bus.path)/asked; exec sleep 100")
        let packets = try links.packets(of: "eth0")
        let job = try job(resource: "60s")
        let running = try start(job)
        let script = "until [ -e \(bus.path)/asked ]; do sleep 0.05; done"
        #expect(try Command("sh", ["-c", script]).run().status == .exit(0))
        running.signal(2)
        let outcome = try running.finish()
        #expect(outcome.status == .exit(130))
        #expect(try packets.finish().standardOutput == "ready\n")
    }
}
