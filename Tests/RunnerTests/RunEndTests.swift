import TestSupport
import Testing

/// Runs that end at their deadline or after a signal whatever holds them up.
@Suite struct RunEndTests {
    /// Runs a job whose report is larger than a pipe, to a reader that reads nothing.
    private func start(_ schedule: String) throws -> (JobFolder, RunningCommand) {
        let job = try JobFolder(
            """
            version: 1
            data:
              a: { forEach: { range: [1, 2000] }, url: "data:,${item}" }
            schedule: { \(schedule) }
            """
        )
        var command = try job.command(["run", "job.yaml", "--report", "-"])
        // The shell's own end of the named pipe keeps it open.
        let script = "mkfifo pipe && exec 3<>pipe && exec \"$0\" \"$@\" >pipe"
        command.arguments = ["-c", script, command.executable] + command.arguments
        command.executable = "sh"
        return (job, try command.start())
    }

    @Test func `a reader that takes nothing of a printed report does not outlast the deadline`()
        throws
    {
        let (job, running) = try start("deadline: 1s")
        let end = try withExtendedLifetime(job) { try running.finish() }
        #expect(end.status == .exit(4))
        let fault = "cannot write to standard output: its reader has stopped reading"
        #expect(end.standardError.contains(fault), "\(end.standardError)")
    }

    @Test func `a reader that takes nothing of a printed report does not outlast a signal`() throws
    {
        let (job, running) = try start("maxConcurrentTasks: 8")
        _ = try running.waitForLine(containing: "a[1]")
        running.signal(15)
        let end = try withExtendedLifetime(job) { try running.finish() }
        #expect(end.status != .exit(0))
        #expect(end.standardError.contains("its reader has stopped reading"))
    }

    @Test func `a deadline ends a run while a server floods a connection`() throws {
        let server = try HTTP2Server(.dataOfAByte, certificate: TestCertificates.shared().server)
        let job = try JobFolder(
            """
            version: 1
            sessions:
              s:
                httpVersion: "2"
                tls: { caFile: \(try TestCertificates.shared().authorityFile) }
            downloads:
              hostile: { url: \(server.url), to: file }
            schedule: { deadline: 1s }
            """
        )
        let run = try job.run()
        #expect(run.code == 8, "\(run.command.standardError)")
        #expect(run.outcome("hostile") == "cancelled")
    }
}
