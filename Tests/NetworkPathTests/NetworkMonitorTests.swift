import Glibc
import TestSupport
import Testing

@testable import NetworkPath

@Suite struct NetworkMonitorTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A monitor with a bus whose daemons know nothing; each question first runs some shell lines
    /// in the folder.
    private func monitor(asking script: String) throws -> NetworkMonitor {
        let lines = """
            #!/bin/sh
            cd "$(dirname "$0")"
            \(script)
            exit 1
            """
        let program = try folder.write(lines, to: "busctl", mode: 0o755)
        let bus = SystemBus(program: program, socket: folder.path, patience: 600_000_000_000)
        let survey = NetworkSurvey(job: [], host: [], bus: bus)
        return try NetworkMonitor(survey, surveyNanoseconds: 1)
    }

    @Test func `a monitor without messages stops on request`() throws {
        let monitor = try NetworkMonitor(NetworkSurvey(job: [], host: []))
        try monitor.start {}
        monitor.stop()
        #expect(monitor.current.interfaces.contains { $0.isLoopback })
    }

    @Test func `daemons are asked again without a kernel message`() throws {
        let monitor = try monitor(asking: "echo >> asked")
        try monitor.start {}
        // Two each time.
        try folder.waitForSize(of: "asked", 8)
        monitor.stop()
    }

    @Test func `a hanging daemon does not delay the end of a run`() throws {
        // The bus answers once, before the monitor exists.
        let monitor = try monitor(
            asking: """
                case "$*" in *NetworkManager*) ;; *) exit 1 ;; esac
                [ -e asked ] && { printf %-9s $$ > hanging; exec sleep 1000; }
                echo > asked
                """
        )
        try monitor.start {}
        try folder.waitForSize(of: "hanging", 9)
        monitor.stop()
        let text = try folder.text("hanging")
        let process = try #require(pid_t(text.filter { $0 != " " }))
        #expect(kill(process, 0) == 0)
        kill(process, SIGKILL)
    }
}
