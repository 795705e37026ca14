/// A reserved loopback port that refuses connections.
package final class ClosedPort: Sendable {
    /// The reserved port.
    package let port: UInt16
    private let socket: Descriptor

    /// Reserves a free port; the reservation ends when the object is released.
    package init() throws {
        (socket, port) = try LoopbackSocket.bound()
    }

    /// Without a slash at its end.
    package var origin: String { "http://127.0.0.1:\(port)" }
}

/// A loopback port at which connects hang: its queue is full and the kernel drops further ones.
package final class UnansweredPort: Sendable {
    /// The port whose queue is full.
    package let port: UInt16
    private let sockets: [Descriptor]

    /// Opens a listener and fills its queue.
    package init() throws {
        let (listener, port) = try LoopbackSocket.listening(backlog: 0)
        self.port = port
        // Linux queues one connection more than the backlog.
        let first = try LoopbackSocket.connecting(to: port, isBlocking: true)
        let second = try LoopbackSocket.connecting(to: port, isBlocking: false)
        sockets = [listener, first, second]
    }

    /// Without a slash at its end.
    package var origin: String { "http://127.0.0.1:\(port)" }
}
