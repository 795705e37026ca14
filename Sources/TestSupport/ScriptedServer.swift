import SystemKit
package import TransferModel

/// An HTTP/1.1 server on a free loopback port that follows a script, including faults.
///
/// It has a thread for each connection and sends only the script's replies. When released, it stops
/// and its threads end.
package final class ScriptedServer: Sendable {
    /// The replies to each path: one for each request in order, and the last one for all later
    /// requests.
    package typealias Script = [String: [Reply]]

    private let listener: LoopbackListener
    private let log: Log

    /// Serves the reply of `answer` to each request, on the thread of its connection.
    ///
    /// `maximumBodyRead` limits the bytes of a body read before the reply; nil reads all.
    /// `continues` says whether a request that expects 100 (Continue) gets it, or the reply without
    /// its body; nil gives no answer. With `socks` the server is a SOCKS proxy and the origins
    /// behind it. `before` returns bytes to send before the body is read; `bodyLimit` limits that
    /// body.
    package init(
        maximumBodyRead: Int? = nil,
        continues: (@Sendable (HeaderFields) -> Bool)? = nil,
        socks: SOCKSGreeting? = nil,
        before: (@Sendable (RecordedRequest) -> [UInt8]?)? = nil,
        bodyLimit: (@Sendable (RecordedRequest) -> Int?)? = nil,
        answer: @escaping @Sendable (RecordedRequest) -> Reply
    ) throws {
        let log = Log()
        self.log = log
        listener = try LoopbackListener { socket, number, stop in
            var connection = ScriptedConnection(
                number: number,
                socket: socket,
                stop: stop,
                maximumBodyRead: maximumBodyRead,
                continues: continues,
                socks: socks
            )
            connection.before = before
            connection.bodyLimit = bodyLimit
            connection.serve { answer(log.record($0)) }
        }
    }

    /// Serves a script by path; other paths get 404.
    package convenience init(_ script: Script, maximumBodyRead: Int? = nil) throws {
        try self.init(maximumBodyRead: maximumBodyRead) { request in
            guard let replies = script[request.path], let last = replies.last else {
                return .status(404)
            }
            let place = request.earlierRequestsForPath
            return place < replies.count ? replies[place] : last
        }
    }

    /// The server's port on 127.0.0.1.
    package var port: UInt16 { listener.port }

    /// Without a slash at its end.
    package var origin: String { "http://127.0.0.1:\(port)" }

    /// The absolute URL of a path with its leading slash.
    package func url(_ path: String) -> String { origin + path }

    /// All requests so far, in the order of their completion.
    package var requests: [RecordedRequest] { log.requests }

    /// The requests for one path.
    package func requests(for path: String) -> [RecordedRequest] {
        requests.filter { $0.path == path }
    }

    /// Waits for that many requests and returns all of them.
    @discardableResult
    package func waitForRequests(_ count: Int) throws -> [RecordedRequest] {
        try log.gate(at: count).wait()
        return requests
    }

    /// The requests and the waiting tests.
    private final class Log: Sendable {
        private struct State {
            var requests: [RecordedRequest] = []
            var countsByPath: [String: Int] = [:]
            var waiting: [(count: Int, gate: Gate)] = []

            mutating func release() {
                for (count, gate) in waiting where count <= requests.count { gate.open() }
                waiting.removeAll { $0.count <= requests.count }
            }
        }

        private let state = Lock(State())

        var requests: [RecordedRequest] {
            state.withLock { $0.requests }
        }

        func record(_ request: RecordedRequest) -> RecordedRequest {
            state.withLock { state in
                var request = request
                request.earlierRequestsForPath = state.countsByPath[request.path, default: 0]
                state.countsByPath[request.path, default: 0] += 1
                state.requests.append(request)
                state.release()
                return request
            }
        }

        func gate(at count: Int) throws -> Gate {
            let gate = try Gate()
            state.withLock { state in
                state.waiting.append((count, gate))
                state.release()
            }
            return gate
        }
    }
}
