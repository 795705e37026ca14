import TestSupport
import Testing

/// A run among peers that keep it waiting or busy without end, by the built executable.
@Suite struct HostilePeersTests {
    /// The deadline of the run, seconds.
    private static let deadline = 15

    @Test func `a run among hostile peers ends at its deadline, and its harmless task in time`()
        throws
    {
        let peers = try HostilePeers(certificate: TestCertificates.shared().server)
        let harmless = try ScriptedServer([
            "/": [
                .raw(
                    "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n",
                    then: [.drip([UInt8](repeating: 97, count: 20), every: .milliseconds(100))]
                )
            ]
        ])
        var job = HostileJob()
        for (name, port) in peers.ports.sorted(by: { $0.key < $1.key }) { job.add(name, port) }
        job.addPrograms()
        #expect(job.ids.count > 70)
        job.add("downloads", "harmless", "session: own, url: \(harmless.url("/")), to: harmless")
        let folder = try job.folder(deadline: "\(Self.deadline)s")
        let run = try withExtendedLifetime(peers) {
            try folder.run("--progress", "none", environment: ["PASSWORD": "hunter2hunter2"])
        }
        #expect(run.outcome("harmless") == "succeeded")
        for id in job.ids where id != "harmless" {
            let end = run.outcome(id)
            // A server that does not confirm the end of the session has sent the file, if other
            // file servers do not hold the thread that they share.
            let expected = ["failed", "cancelled"] + (id == "ftp_quit" ? ["succeeded"] : [])
            #expect(expected.contains(end ?? ""), "\(id): \(end ?? "")")
        }
        let seconds = try #require(run.seconds)
        #expect(seconds <= Double(Self.deadline) + 2, "\(run.command.standardError)")
    }
}

extension RunOutcome {
    /// How long the run took.
    fileprivate var seconds: Double? {
        guard let begin = date("startDate"), let end = date("endDate") else { return nil }
        return end < begin ? end + 86_400 - begin : end - begin
    }

    /// The seconds of a date's day.
    private func date(_ name: String) -> Double? {
        guard let text = report["run"]?[name]?.string else { return nil }
        let parts = text.dropFirst(11).dropLast().split(separator: ":").compactMap { Double($0) }
        return parts.count == 3 ? parts[0] * 3600 + parts[1] * 60 + parts[2] : nil
    }
}
