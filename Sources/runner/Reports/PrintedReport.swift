import Report
import SystemKit

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
