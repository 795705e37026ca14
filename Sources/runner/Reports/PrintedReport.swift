import Report
import Scheduler
import SystemKit
import TransferModel

/// A document on standard output.
final class PrintedReport: ReportFile {
    /// nil for a document that no run writes.
    private let end: RunEndTime?
    /// The time that the run still waits for the reader when it should be over, milliseconds.
    private var patience: Int32 = 1000

    private static let interval: Int32 = 50

    /// A document whose reader may take its time, but after the end of the run only a second.
    init(of end: RunEndTime? = nil) { self.end = end }

    func write(_ bytes: Span<UInt8>) throws(SystemError) {
        guard let end else {
            guard try StandardOutput.write(bytes) else { throw StandardOutput.lostReader }
            return
        }
        var rest = bytes
        while !rest.isEmpty {
            try awaitRoom(until: end)
            let piece = rest.extracting(first: StandardOutput.pieceSize)
            guard try StandardOutput.write(piece) else { throw StandardOutput.lostReader }
            rest = rest.extracting(droppingFirst: piece.count)
        }
    }

    /// Waits for the reader, who may have stopped reading.
    private func awaitRoom(until end: RunEndTime) throws(SystemError) {
        while !StandardOutput.hasRoom(milliseconds: Self.interval) {
            guard end.hasCome else { continue }
            patience -= Self.interval
            guard patience > 0 else { throw .unread("standard output") }
        }
    }

    /// The text has left already.
    func publish() throws(SystemError) {}
}

/// When a run should be over: at its deadline, or when a signal's grace ends; known to the writers
/// that could wait longer for their readers.
final class RunEndTime: Sendable {
    private struct State {
        var time = MonotonicTime(nanoseconds: .max)
        var hasSignal = false
    }

    private let state = Lock(State())

    /// Whether the run should be over.
    var hasCome: Bool { MonotonicTime.present() >= state.withLock { $0.time } }

    /// Ends the run by a deadline at the latest.
    func take(_ deadline: MonotonicTime) {
        state.withLock { $0.time = min($0.time, deadline) }
    }

    /// Handles a signal: the first one leaves a grace, the second one none.
    func takeSignal() {
        let now = MonotonicTime.present()
        state.withLock { state in
            state.time = min(state.time, state.hasSignal ? now : now + Scheduler.grace)
            state.hasSignal = true
        }
    }
}
