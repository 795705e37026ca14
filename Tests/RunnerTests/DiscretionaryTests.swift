import TestSupport
import Testing

/// Discretionary sessions on a machine of two links and a battery.
@Suite struct DiscretionaryTests {
    private let links: TwoLinks
    private let supplies: TemporaryFolder

    init() throws {
        links = try TwoLinks()
        supplies = try TemporaryFolder()
        try supplies.makeFolder("BAT0")
        try supplies.write("Battery\n", to: "BAT0/type")
        try supplies.write("Discharging\n", to: "BAT0/status")
        try supplies.makeFolder("AC")
        try supplies.write("Mains\n", to: "AC/type")
        try supplies.write("0\n", to: "AC/online")
        try links.showPowerSupplies(of: supplies)
        try links.root.write("hello", to: "a")
    }

    private func plugIn() throws { try supplies.write("1\n", to: "AC/online") }

    private func job(at address: String, resource: String = "7d") throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            network:
              interfaces:
                - { match: { name: "wwan*" }, kind: cellular }
                - { match: { name: "eth*" }, kind: wired, expensive: false }
            sessions:
              nightly: { configuration: background, identifier: nightly, isDiscretionary: true, timeoutIntervalForResource: \(resource) }
            downloads: { a: { url: "http://\(address):\(TwoLinks.port)/a", to: a } }
            """
        )
    }

    private func status(_ job: JobFolder) throws -> [Substring] {
        try job.runner(["status", "nightly"]).standardOutput.split(separator: "\n")
    }

    @Test func `on battery a task is deferred at its timeout, and the next run continues it`()
        throws
    {
        let job = try job(at: TwoLinks.wiredAddress, resource: "300ms")
        let packets = try links.packets(of: "eth0")
        let deferred = try links.run(job)
        #expect(deferred.code == 7)
        let task = try #require(deferred.task("a"))
        #expect(task["outcome"]?.string == "deferred")
        #expect(task["error"]?["kind"]?.string == "power")
        #expect(task["error"]?["retryable"]?.bool == true)
        #expect(task["attempts"]?.elements.isEmpty == true)
        #expect(try packets.finish().standardOutput == "ready\n")
        let left = try status(job)
        #expect(left.first == "nightly: open")
        #expect(left.contains("  pending 1, running 0, succeeded 0, failed 0"))
        try plugIn()
        let taken = try links.run(job)
        #expect(taken.code == 0, "\(taken.command.standardError)")
        #expect(try status(job).first == "nightly: finished")
    }

    @Test func `a task that waits for power begins with external power`() throws {
        let job = try job(at: TwoLinks.wiredAddress)
        let running = try links.start(job)
        _ = try running.waitForLine(containing: "waiting")
        try plugIn()
        // The kernel does not report a made folder, but it reports a link: docking a machine
        // changes both.
        try links.ip("link set wwan0 down")
        let outcome = try running.finish().reported(in: job.folder)
        #expect(outcome.code == 0)
        let lines = outcome.command.standardError.split(separator: "\n")
        #expect(lines.filter { $0.dropFirst(9).hasPrefix("waiting") }.count == 1)
        #expect(outcome.attempts("a").map { $0["waitReason"]?.string } == ["power"])
    }

    @Test func `a discretionary session is deferred on an expensive network`() throws {
        try plugIn()
        let job = try job(at: TwoLinks.cellularAddress, resource: "300ms")
        let packets = try links.packets(of: "wwan0")
        let outcome = try links.run(job)
        #expect(outcome.code == 7)
        let error = outcome.task("a")?["error"]
        #expect(error?["kind"]?.string == "network")
        #expect(error?["networkUnavailableReason"]?.string == "expensive")
        #expect(try packets.finish().standardOutput == "ready\n")
    }
}
