import SystemKit

/// A server program on a port that this process found free; stops when released.
final class ServerProcess: Sendable {
    let port: UInt16
    /// The line that reported readiness.
    let greeting: String
    private let process: Lock<RunningCommand>

    /// Another process may take the port before the program does; then it starts again.
    private static let mostStarts = 5

    /// Ends the program when standard input ends, and itself when the program ends.
    private static let script = """
        PATH=$PATH:/usr/sbin
        exec 3<&0 0</dev/null
        "$@" 3<&- &
        server=$!
        { read -r _ <&3; kill "$server"; } > /dev/null 2>&1 &
        wait "$server"
        # Its number may soon be another process's.
        kill "$!" 2> /dev/null
        """

    /// Starts the program and returns when it reports that it is ready.
    ///
    /// - Parameters:
    ///   - tool: The missing tool when it does not start, such as a package.
    ///   - line: A part of the line that reports readiness.
    ///   - environment: Changes to this process's environment.
    ///   - command: The program and its arguments for a port.
    /// - Throws: `MissingTool` when the program does not start.
    init(
        _ tool: String,
        readyAt line: String,
        environment: [String: String?] = [:],
        command: (UInt16) throws -> [String]
    ) throws {
        var reason = ""
        for _ in 0..<Self.mostStarts {
            let port = try LoopbackSocket.bound().port
            let shell = Command(
                "sh",
                ["-c", Self.script, "sh"] + (try command(port)),
                environment: environment
            )
            let process = try shell.start()
            do {
                greeting = try process.waitForLine(containing: line)
            } catch {
                reason = process.standardError
                continue
            }
            self.port = port
            self.process = Lock(process)
            return
        }
        throw MissingTool(tool, reason)
    }

    /// Stops the program, so that its logs are complete.
    func end() throws {
        _ = try process.withLock { try $0.finish() }
    }

    deinit {
        _ = process.withLock { try? $0.finish() }
    }
}
