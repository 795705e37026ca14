/// A server that speaks HTTP/2 over TLS frame by frame, as wrongly as a test needs; gone when
/// nobody holds it.
package final class HTTP2Server: Sendable {
    /// What it does with each stream; `count` is that of the server.
    package enum Behaviour: String, Sendable, CaseIterable {
        /// Answers requests with `hello` when they are whole.
        case take
        /// Refuses the first `count` streams, and answers the others with `hello`.
        case refuse
        /// Answers `count` streams of each connection with `hello` and looks at none that came
        /// after them, as it says.
        case retire
        /// Closes the first `count` connections without having looked at any stream, as it says.
        case turnAway = "turn_away"
        /// Says that it closes the connection, answers with `hello` and does so.
        case finish
        /// Sends `hello`, with a length of `count` unless it is 0, and closes the connection.
        case leave
        /// Sends as much as `leave` and closes the connection without the end of TLS.
        case drop
        /// Closes the connection without a word.
        case hangUp = "hang_up"
        /// Sends as much as `leave` and ends the stream with an error.
        case reset
        /// Sends as much as `leave` and ends the stream without an error and without the mark of
        /// its end.
        case stop
        /// A head without end.
        case endlessHead = "endless_head"
        /// A head that goes on without anything in it.
        case emptyContinuations = "empty_continuations"
        /// A head of 1 MB that is made of 12 KB.
        case headBomb = "head_bomb"
        /// 103 without end.
        case informational
        /// Settings in the largest frames there are, without end.
        case hugeSettings = "huge_settings"
        /// Settings that each must be acknowledged, without end.
        case settings
        /// Pings that each must be answered, without end.
        case pings
    }

    private let server: ServerProcess

    /// Starts it, and throws `MissingTool` when it does not start.
    package init(
        _ behaviour: Behaviour,
        count: Int = 0,
        certificate identity: TestCertificates.Identity
    ) throws {
        let program = #filePath.replacing("HTTP2Server.swift", with: "http2-server.py")
        server = try ServerProcess("python3", readyAt: "ready") { port in
            [
                "python3", program, "\(port)", identity.certificateFile, identity.keyFile,
                behaviour.rawValue, "\(count)",
            ]
        }
    }

    /// The absolute URL of anything; `TestCertificates.server` is good for it.
    package var url: String { "https://localhost:\(server.port)/file" }
}
