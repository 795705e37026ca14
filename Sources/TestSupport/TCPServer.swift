import Glibc
import SystemKit

/// A server of bytes on a free loopback port: a closure answers the bytes that arrive.
package final class TCPServer: Sendable {
    /// The server's answer to bytes that have arrived.
    package enum Answer: Sendable {
        case send([UInt8])
        /// Sends the bytes and ends the connection.
        case close([UInt8])
        /// Resets the connection (RST).
        case reset
        /// Sends some bytes once and then others again and again until the peer leaves.
        case flood([UInt8], after: [UInt8])
        /// Reads no more, and sends nothing.
        case stall
    }

    private let listener: LoopbackListener
    /// The port at 127.0.0.1.
    package var port: UInt16 { listener.port }

    /// Serves each connection with the state that `greet` makes of its number: first the bytes that
    /// `greet` returns, then the answers to each piece that arrives; an empty piece is the end.
    package init(
        greeting: [UInt8] = [],
        answer: @escaping @Sendable ([UInt8]) -> Answer
    ) throws {
        listener = try LoopbackListener { socket, _, stop in
            try? Self.serve(socket, stop, greeting, answer)
        }
    }

    /// A server that sends back the received bytes.
    package static func echo() throws -> TCPServer { try TCPServer { .send($0) } }

    private static func serve(
        _ socket: Descriptor,
        _ stop: Gate,
        _ greeting: [UInt8],
        _ answer: (([UInt8]) -> Answer)
    ) throws {
        func isReady(_ readiness: Readiness) -> Bool {
            Readiness.wait(
                for: [readiness, .readable(stop.descriptor)],
                until: Deadline(after: .seconds(60))
            ) == 0
        }
        func send(_ bytes: [UInt8]) throws {
            try LoopbackSocket.send(bytes, to: socket) {
                guard isReady(.writable(socket)) else {
                    throw SystemError.last("send to", "a peer")
                }
            }
        }
        try send(greeting)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while isReady(.readable(socket)) {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe recv(socket.number, bytes.baseAddress, bytes.count, 0)
            }
            if count < 0, errno == EAGAIN { continue }
            guard count >= 0 else { return }
            switch answer(Array(buffer[..<count])) {
            case .send(let bytes): try send(bytes)
            case .close(let bytes):
                try send(bytes)
                return
            case .reset:
                LoopbackSocket.closeWillReset(socket)
                return
            case .flood(let bytes, let first):
                try send(first)
                while true { try send(bytes) }
            case .stall:
                _ = Readiness.wait(
                    for: [.readable(stop.descriptor)],
                    until: Deadline(after: .seconds(60))
                )
                return
            }
            if count == 0 { return }
        }
    }
}
