import SystemKit

/// A listening socket on a free loopback port, with a thread for each connection.
///
/// When released, it stops and its threads end.
final class LoopbackListener: Sendable {
    let port: UInt16
    private let stop: Gate
    private let accepting: JoinableThread

    /// Calls `serve` for each connection on its own thread, with its number from 1 and a gate that
    /// opens when `serve` must return.
    init(serve: @escaping @Sendable (Descriptor, _ number: Int, _ stop: Gate) -> Void) throws {
        let (listener, port) = try LoopbackSocket.listening()
        let stop = try Gate()
        self.port = port
        self.stop = stop
        accepting = try JoinableThread(name: "accept") {
            var threads: [JoinableThread] = []
            defer { threads.forEach { $0.join() } }
            while Readiness.wait(
                for: [.readable(listener), .readable(stop.descriptor)],
                until: Deadline(after: .seconds(86_400))
            ) == 0 {
                guard let socket = try? LoopbackSocket.accept(from: listener) else { continue }
                let number = threads.count + 1
                let thread = try? JoinableThread(name: "connection") { serve(socket, number, stop) }
                thread.map { threads.append($0) }
            }
        }
    }

    deinit {
        stop.open()
        accepting.join()
    }
}
