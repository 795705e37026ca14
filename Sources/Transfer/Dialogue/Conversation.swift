internal import SystemKit
internal import TransferModel

/// The conversation of a task over a connection that libcurl only opens, such as a WebSocket's, or
/// over the pipes of a program.
///
/// A value without socket or clock: `Dialogue` gives it the bytes that arrive, writes the bytes of
/// `takeOutput`, and calls `tick` at `nextTime`. Memory is bounded: it stops to want input while it
/// holds much.
protocol Conversation {
    /// Whether the connection should be read.
    var wantsInput: Bool { get }
    /// Whether `takeOutput` has bytes.
    var hasOutput: Bool { get }
    /// Whether sending ends once all output has left.
    var endsSending: Bool { get }
    /// When `tick` is due; nil for never.
    var nextTime: MonotonicTime? { get }
    /// Whether nothing is left to do.
    var isOver: Bool { get }
    /// Whether it ends with a response of HTTP that is like any other.
    var leavesResponse: Bool { get }
    /// The last words for a peer that the conversation leaves; empty for none.
    var farewell: [UInt8] { get }
    /// Why the conversation has failed; nil while it has not.
    var failure: TransferFailure? { get }

    /// Returns bytes for the connection and forgets them.
    mutating func takeOutput() -> [UInt8]
    /// A part of the output has left.
    mutating func didWriteSome(at now: MonotonicTime)
    /// All output that was taken has left.
    mutating func didWrite(at now: MonotonicTime)
    /// Bytes have arrived.
    mutating func receive(_ bytes: Span<UInt8>, at now: MonotonicTime)
    /// The peer will send no more.
    mutating func receiveEnd(at now: MonotonicTime)
    /// The connection has ended without the end of its TLS, so that bytes may be missing.
    mutating func receiveCut(at now: MonotonicTime)
    /// The connection is lost, or the attempt is ended from outside.
    mutating func end(with failure: TransferFailure, at now: MonotonicTime)
    /// The runner itself has kept the conversation from moving bytes.
    mutating func excuseSilence(at now: MonotonicTime)
    /// A time limit may have passed.
    mutating func tick(at now: MonotonicTime)
    /// Reads and writes the files that the conversation wants, in bounded steps; throws the failure
    /// that ends the attempt.
    mutating func moveFiles(at now: MonotonicTime) throws(TransferFailure)
    /// Puts the outcome into the attempt's result.
    func complete(_ result: inout AttemptResult)
}

extension Conversation {
    var endsSending: Bool { false }
    var leavesResponse: Bool { false }
    var farewell: [UInt8] { [] }
    mutating func receiveCut(at now: MonotonicTime) { receiveEnd(at: now) }
    mutating func excuseSilence(at now: MonotonicTime) {}
    mutating func moveFiles(at now: MonotonicTime) throws(TransferFailure) {}
}
