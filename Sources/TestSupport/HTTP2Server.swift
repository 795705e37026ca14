/// A server that speaks HTTP/2 over TLS frame by frame, with the faults a test needs; stops when
/// released.
package final class HTTP2Server: Sendable {
    /// The server's treatment of each stream; `count` is the argument of the server.
    package enum Behaviour: String, Sendable, CaseIterable {
        /// Answers complete requests with `hello`.
        case take
        /// Refuses the first `count` streams and answers the others with `hello`.
        case refuse
        /// Answers `count` streams of each connection with `hello` and announces that it ignores
        /// later ones.
        case retire
        /// Closes the first `count` connections and announces that it processed no stream.
        case turnAway = "turn_away"
        /// Announces the end of the connection, answers with `hello` and closes it.
        case finish
        /// Sends `hello`, with a length of `count` unless it is 0, and closes the connection.
        case leave
        /// Sends the same as `leave` and closes the connection without ending TLS.
        case drop
        /// Closes the connection without an announcement.
        case hangUp = "hang_up"
        /// Sends the same as `leave` and ends the stream with an error.
        case reset
        /// Sends the same as `leave` and stops the stream without an error or an end flag.
        case stop
        /// An endless head.
        case endlessHead = "endless_head"
        /// An endless head of empty frames.
        case emptyContinuations = "empty_continuations"
        /// A head of 1 MB, compressed to 12 KB.
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

    /// Starts the server; throws `MissingTool` when it does not start.
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

    /// The absolute URL of any file; the certificate of `TestCertificates.server` is valid for it.
    package var url: String { "https://localhost:\(server.port)/file" }
}
