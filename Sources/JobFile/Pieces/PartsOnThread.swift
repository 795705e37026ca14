internal import SystemKit

/// Reads every other piece on a second thread, while the first thread reads the others.
struct PartsOnThread: PartsAhead {
    private struct State: Sendable {
        /// The first piece that the second thread may begin.
        var next = 0
        /// The parts that were read and not taken, in order.
        var parts: [(piece: Int, part: Part?)] = []
        var isOver = false
    }

    /// The most parts that wait to be taken.
    private static let mostParts = 4
    /// The number of failed pieces, such as the ends of sections, after which the thread gives up.
    private static let mostFailures = 8

    private let state: Lock<State>
    private let thread: JoinableThread

    init?(of pieces: Pieces) {
        let state = Lock(State())
        self.state = state
        do throws(SystemError) {
            thread = try JoinableThread(name: "parse") { Self.read(pieces, state) }
        } catch {
            return nil
        }
    }

    mutating func part(of piece: Int) -> Part? {
        guard Cut.isAhead(piece) else { return nil }
        let part = state.withLock(
            when: { $0.next <= piece || $0.parts.contains { $0.piece == piece } },
            until: nil
        ) { state -> Part? in
            let taken = state.parts.first { $0.piece == piece }
            state.parts.removeAll { $0.piece <= piece }
            // Reading an unstarted piece is faster than waiting for it.
            state.next = max(state.next, piece + 1)
            return taken?.part
        }
        state.notify()
        return part
    }

    func finish() {
        state.withLock { $0.isOver = true }
        state.notify()
        thread.join()
    }

    /// The second thread.
    private static func read(_ pieces: Pieces, _ state: Lock<State>) {
        var failures = 0
        while failures <= mostFailures {
            let piece = state.withLock(
                when: { $0.isOver || $0.parts.count < mostParts },
                until: nil
            ) { state -> Int? in
                // The first thread reads the last piece.
                let piece = Cut.isAhead(state.next) ? state.next : state.next + 1
                guard !state.isOver, piece + 1 < pieces.cuts.count else { return nil }
                state.next = piece + 1
                return piece
            }
            guard let piece else { break }
            let part = pieces.part(piece)
            if part == nil { failures += 1 }
            state.withLock { $0.parts.append((piece, part)) }
            state.notify()
        }
    }
}
