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
        /// Cuts streams as the path of `url(of:)` says; answers requests of HTTP/1.1 with
        /// `hellohello` in chunks.
        case cut
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
        /// GOAWAY without end.
        case goAways = "go_aways"
        /// A head, and DATA without a byte and without end.
        case emptyData = "empty_data"
        /// A head, and a body without end in DATA of one byte each.
        case dataOfAByte = "data_of_a_byte"
        /// RST_STREAM without end.
        case resets
    }

    /// An incomplete answer to streams that share a connection.
    package struct Cut: Sendable, Hashable {
        /// The part of the answer that the server sends before the end.
        package enum Stage: String, Sendable, CaseIterable {
            case nothing
            /// A head whose end is missing.
            case part
            case head
            /// The head and `hello`.
            case body
            /// The head and `hellohello`, without an end flag.
            case all
        }

        /// The end of the streams: RST_STREAM or GOAWAY, each with the number of an error, or the
        /// end of the connection.
        package enum End: String, Sendable, CaseIterable {
            case resetNoError = "reset-0"
            case resetInternalError = "reset-2"
            case resetRefused = "reset-7"
            case resetCancel = "reset-8"
            /// An end flag, which makes a complete answer of any part without a length.
            case flag
            /// GOAWAY that leaves out the streams, and the end of the connection.
            case goAwayBelow = "below-0"
            case goAwayBelowWithError = "below-2"
            /// GOAWAY that includes the streams, and the end of the connection.
            case goAwayAt = "at-0"
            case goAwayAtWithError = "at-2"
            /// The end of TLS and of the connection.
            case close
            /// The end of the connection without that of TLS.
            case drop
            /// A reset of the connection.
            case abort
        }

        /// How much of the answer the server sends before the end.
        package var stage: Stage
        /// Whether the head has a `Content-Length`.
        package var hasLength: Bool
        /// How the server ends the streams.
        package var end: End
        /// The number of streams; every second one is answered in full before the others end.
        package var count: Int

        /// Creates an answer to `count` streams.
        package init(_ stage: Stage, hasLength: Bool, _ end: End, count: Int) {
            self.stage = stage
            self.hasLength = hasLength
            self.end = end
            self.count = count
        }
    }

    private let server: ServerProcess

    /// Starts the server; throws `MissingTool` when it does not start.
    package init(
        _ behaviour: Behaviour,
        count: Int = 0,
        certificate identity: TestCertificates.Identity
    ) throws {
        let program = ServerScript.path("http2-server.py")
        server = try ServerProcess("python3", readyAt: "ready") { port in
            [
                "python3", program, "\(port)", identity.certificateFile, identity.keyFile,
                behaviour.rawValue, "\(count)",
            ]
        }
    }

    /// The absolute URL of any file; the certificate of `TestCertificates.server` is valid for it.
    package var url: String { "https://localhost:\(server.port)/file" }

    /// The URL that a server with the behaviour `cut` answers in that way.
    package func url(of cut: Cut) -> String {
        let length = cut.hasLength ? "length" : "none"
        let path = "\(cut.stage.rawValue)-\(length)-\(cut.end.rawValue)-\(cut.count)"
        // HPACK's code for a tilde is long, so that the path is sent in plain letters.
        let padding = String(repeating: "~", count: path.utf8.count)
        return "https://localhost:\(server.port)/\(path)\(padding)"
    }
}
