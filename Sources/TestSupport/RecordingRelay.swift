import SystemKit

/// Passes connections on to another loopback port, and keeps every byte that goes through: what a
/// packet capture would show of the payload.
///
/// A thread for each connection. What was passed on was kept before. When nobody holds it, it stops
/// and its threads end.
package final class RecordingRelay: Sendable {
    /// What went through one connection.
    package struct Passage: Sendable, Hashable {
        /// From the side that connected.
        package var sent: [UInt8] = []
        package var received: [UInt8] = []
    }

    private let listener: LoopbackListener
    private let kept: Lock<[Passage]>

    /// What becomes of a connection; what was sent beyond so many bytes does not arrive.
    package enum Cut: Sendable {
        /// It is reset, if there is a gate once that is open.
        case reset(after: Int, when: Gate? = nil)
        /// The gate is opened, and nothing happens until the side that connected has gone.
        case hold(after: Int, Gate)

        fileprivate var count: Int {
            switch self {
            case .reset(let count, _), .hold(let count, _): count
            }
        }
    }

    /// Connects to `target` for each connection that it gets, and cuts some by their numbers, from
    /// 1.
    ///
    /// With a pause it is a slow line: it lets so long pass for each piece of up to 64 KiB of those
    /// who connect, and what they have not got through when they have gone is lost.
    package init(to target: UInt16, cuts: [Int: Cut] = [:], pause: Duration? = nil) throws {
        let kept = Lock<[Passage]>([])
        self.kept = kept
        listener = try LoopbackListener { client, number, stop in
            guard let server = try? LoopbackSocket.connecting(to: target, isBlocking: true) else {
                return
            }
            kept.withLock { passages in
                while passages.count < number { passages.append(Passage()) }
            }
            Self.pass(client, server, stop, cuts[number], pause) { keep in
                kept.withLock { keep(&$0[number - 1]) }
            }
        }
    }

    package var port: UInt16 { listener.port }

    /// Without a slash at its end.
    package var origin: String { "http://127.0.0.1:\(port)" }

    /// What went through each connection so far, in the order in which they were made.
    package var passages: [Passage] { kept.withLock { $0 } }

    /// Passes on what the target says until something happens.
    private static func passBack(
        _ server: Descriptor,
        _ client: Descriptor,
        _ stop: Gate,
        until end: Readiness
    ) {
        let events = [end, .readable(stop.descriptor), .readable(server)]
        while Readiness.wait(for: events, until: Deadline()) == 2 {
            guard let bytes = server.read(), !bytes.isEmpty else { break }
            // A few fields, which the client has room for.
            guard (try? LoopbackSocket.send(bytes, to: client) {}) != nil else { return }
        }
        _ = Readiness.wait(for: [end, .readable(stop.descriptor)], until: Deadline())
    }

    /// Passes on what comes from either side until both have ended.
    private static func pass(
        _ client: Descriptor,
        _ server: Descriptor,
        _ stop: Gate,
        _ cut: Cut?,
        _ pause: Duration?,
        keep: ((inout Passage) -> Void) -> Void
    ) {
        var left = cut?.count ?? .max
        var (isClientOpen, isServerOpen) = (true, true)
        while isClientOpen || isServerOpen {
            // The server first, or a client that never stops would keep its answers back.
            let sides = (isServerOpen ? [server] : []) + (isClientOpen ? [client] : [])
            let events = sides.map { Readiness.readable($0) } + [.readable(stop.descriptor)]
            guard let ready = Readiness.wait(for: events, until: Deadline()), ready < sides.count
            else { return }
            let isFromClient = sides[ready] === client
            let other = isFromClient ? server : client
            guard var bytes = sides[ready].read(), !bytes.isEmpty else {
                LoopbackSocket.endSending(other)
                if isFromClient { isClientOpen = false } else { isServerOpen = false }
                continue
            }
            if isFromClient {
                let ends = [Readiness.abandoned(client), .readable(stop.descriptor)]
                if let pause, Readiness.wait(for: ends, until: Deadline(after: pause)) != nil {
                    return
                }
                bytes = Array(bytes.prefix(left))
                left -= bytes.count
            }
            keep { passage in
                if isFromClient { passage.sent += bytes } else { passage.received += bytes }
            }
            let isSent: Void? = try? LoopbackSocket.send(bytes, to: other) {
                let events = [Readiness.writable(other), .readable(stop.descriptor)]
                guard Readiness.wait(for: events, until: Deadline()) == 0 else {
                    throw GuardTimeout("room to pass bytes on")
                }
            }
            if isSent == nil { return }
            guard left == 0 else { continue }
            switch cut {
            case .hold(_, let gate):
                gate.open()
                passBack(server, client, stop, until: .abandoned(client))
            case .reset(_, let gate):
                if let gate {
                    passBack(server, client, stop, until: .readable(gate.descriptor))
                }
                LoopbackSocket.closeWillReset(client)
            case nil: break
            }
            return
        }
    }
}
