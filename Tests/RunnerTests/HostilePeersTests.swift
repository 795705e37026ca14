import TestSupport
import Testing

/// A run among peers that keep it waiting or busy without end, by the built executable.
@Suite struct HostilePeersTests {
    @Test func `a run among hostile peers has a harmless task done, and ends when it is told to`()
        throws
    {
        let peers = try HostilePeers(certificate: TestCertificates.shared().server)
        let harmless = try ScriptedServer([
            "/": [
                .raw(
                    "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n",
                    then: [.drip([UInt8](repeating: 97, count: 50), every: .milliseconds(100))]
                )
            ]
        ])
        var job = HostileJob()
        // Beyond what this test waits for the end.
        job.limits = "timeoutIntervalForRequest: 10m"
        for (name, port) in peers.ports.sorted(by: { $0.key < $1.key }) { job.add(name, port) }
        job.addPrograms()
        #expect(job.ids.count > 70)
        job.add("downloads", "harmless", "session: own, url: \(harmless.url("/")), to: harmless")
        let folder = try job.folder(deadline: "unlimited")
        let running = try folder.runCommand(
            ["--progress", "plain"],
            environment: ["PASSWORD": "hunter2hunter2"]
        ).start()
        let run = try withExtendedLifetime(peers) {
            _ = try running.waitForLine(containing: "succeeded  harmless")
            running.signal(2)
            // Behind the grace period no peer holds the run.
            return try running.finish().reported(in: folder.folder)
        }
        #expect(run.outcome("harmless") == "succeeded")
        for id in job.ids where id != "harmless" {
            let end = run.outcome(id)
            // A server that does not confirm the end of the session has sent the file, if other
            // file servers do not hold the thread that they share.
            let expected = ["failed", "cancelled"] + (id == "ftp_quit" ? ["succeeded"] : [])
            #expect(expected.contains(end ?? ""), "\(id): \(end ?? "")")
        }
    }
}
