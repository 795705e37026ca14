internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The conversation of a task over a connection that libcurl only opens, such as a WebSocket's, or
/// over the pipes of a program.
///
/// `RunningConversation` gives it the bytes that arrive, writes the bytes of `takeOutput`, moves
/// the bytes of files, and calls `tick` at `nextTime`. Memory is bounded: a conversation that holds
/// many bytes wants no input.
protocol Conversation {
    /// Whether the connection should be read.
    var wantsInput: Bool { get }
    /// Whether `takeOutput` has bytes.
    var hasOutput: Bool { get }
    /// Whether sending ends once all output has left.
    var endsSending: Bool { get }
    /// Whether the running step begins TLS, and everything before it has left.
    var wantsSecurity: Bool { get }
    /// The place in a file whose bytes a step sends; nil while none are wanted.
    var wantedFile: WantedFile? { get }
    /// When `tick` is due; nil for never.
    var nextTime: MonotonicTime? { get }
    /// Whether nothing is left to do.
    var isOver: Bool { get }
    /// The conversation that takes over the connection; nil while this one has it.
    var successor: (any Conversation)? { get }
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
    mutating func receiveCut(isInHandshake: Bool, at now: MonotonicTime)
    /// TLS has begun.
    mutating func didSecure(with facts: TLSFacts?, at now: MonotonicTime)
    /// Takes the next piece of `wantedFile`, which may be empty at the end of the file.
    mutating func send(piece: [UInt8], isLast: Bool, at now: MonotonicTime)
    /// Returns the bytes for the file of the task and forgets them.
    mutating func takeFileBytes() -> [UInt8]
    /// Reads the next piece of the request's body.
    mutating func readBody(at now: MonotonicTime)
    /// The connection is lost, or the attempt is ended from outside.
    mutating func end(with failure: TransferFailure, at now: MonotonicTime)
    /// The runner cannot do what a step needs; the conversation may still say so to the peer.
    mutating func fail(with failure: TransferFailure, at now: MonotonicTime)
    /// The runner itself has kept the conversation from moving bytes.
    mutating func excuseSilence(at now: MonotonicTime)
    /// A time limit may have passed.
    mutating func tick(at now: MonotonicTime)
    /// Puts the outcome into the attempt's result.
    func complete(_ result: inout AttemptResult)
}

/// A place in a file whose bytes a step sends.
struct WantedFile {
    var path: String
    var offset: Int64
    /// Whether the step wants the whole file once more afterwards.
    var isWantedAgain = false
}

extension Conversation {
    var endsSending: Bool { false }
    var wantsSecurity: Bool { false }
    var wantedFile: WantedFile? { nil }
    var successor: (any Conversation)? { nil }
    var leavesResponse: Bool { false }
    var farewell: [UInt8] { [] }

    mutating func receiveCut(isInHandshake: Bool, at now: MonotonicTime) { receiveEnd(at: now) }
    mutating func didSecure(with facts: TLSFacts?, at now: MonotonicTime) {}
    mutating func send(piece: [UInt8], isLast: Bool, at now: MonotonicTime) {}
    mutating func takeFileBytes() -> [UInt8] { [] }
    mutating func readBody(at now: MonotonicTime) {}
    mutating func excuseSilence(at now: MonotonicTime) {}

    mutating func fail(with failure: TransferFailure, at now: MonotonicTime) {
        end(with: failure, at: now)
    }
}

/// Makes the conversation of an attempt when its connection is open, on the thread of its engine.
typealias ConversationStart = @Sendable (any UpgradeHost, MonotonicTime) -> any Conversation
