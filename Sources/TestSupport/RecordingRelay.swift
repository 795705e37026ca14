import SystemKit

/// Forwards connections to another loopback port and records every payload byte, like a packet
/// capture.
///
/// It has a thread for each connection and records bytes before forwarding them. When released, it
/// stops and its threads end.
package final class RecordingRelay: Sendable {
    /// The bytes of one connection.
    package struct Passage: Sendable, Hashable {
        /// From the client.
        package var sent: [UInt8] = []
        /// From the server.
        package var received: [UInt8] = []
    }

    private let listener: LoopbackListener
    private let kept: Lock<[Passage]>

    /// How to break a connection after a number of forwarded client bytes.
    package enum Cut: Sendable {
        /// Resets the connection, after a given gate is open.
        case reset(after: Int, when: Gate? = nil)
        /// Opens the gate and forwards nothing until the client has gone.
        case hold(after: Int, Gate)

        fileprivate var count: Int {
            switch self {
            case .reset(let count, _), .hold(let count, _): count
            }
        }
    }

    /// Connects to `target` for each client connection, and breaks some by their numbers, from 1.
    ///
    /// With a pause it simulates a slow line: each piece of up to 64 KiB from the client takes that
    /// time. When the client leaves, bytes that are not yet forwarded are lost.
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

    /// The relay's own port on 127.0.0.1.
    package var port: UInt16 { listener.port }

    /// Without a slash at its end.
    package var origin: String { "http://127.0.0.1:\(port)" }

    /// The recorded connections so far, in the order they were made.
    package var passages: [Passage] { kept.withLock { $0 } }

    /// Forwards bytes from the target until an event.
    private static func passBack(
        _ server: Descriptor,
        _ client: Descriptor,
        _ stop: Gate,
        until end: Readiness
    ) {
        let events = [end, .readable(stop.descriptor), .readable(server)]
        while Readiness.wait(for: events, until: Deadline()) == 2 {
            guard let bytes = server.read(), !bytes.isEmpty else { break }
            // A few fields, for which the client has room.
            guard (try? LoopbackSocket.send(bytes, to: client) {}) != nil else { return }
        }
        _ = Readiness.wait(for: [end, .readable(stop.descriptor)], until: Deadline())
    }

    /// Forwards bytes in both directions until both sides have ended.
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
            // The server first; otherwise a client that never stops would block the responses.
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
