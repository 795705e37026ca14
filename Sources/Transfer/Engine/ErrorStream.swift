internal import SystemKit

/// A piece of the standard error of the program that makes an attempt's body.
package struct ErrorText: Sendable, Hashable {
    /// The key of the attempt.
    package var key: Int
    /// The bytes as received; they may end within a line.
    package var bytes: [UInt8]
    /// Whether this is the last text of this run of the program.
    package var isLast: Bool

    /// Creates a piece of a program's standard error.
    package init(key: Int, bytes: [UInt8], isLast: Bool) {
        self.key = key
        self.bytes = bytes
        self.isLast = isLast
    }

    /// Hands a text on at once; the returned closure says whether the receiver has taken it by
    /// then.
    package typealias Handover = @Sendable (ErrorText) -> @Sendable () -> Bool
}

/// The standard error of one run of a program; read by the relay's thread, and by the engine's when
/// the attempt ends.
final class ErrorStream: Sendable {
    /// The result of one read.
    enum Read {
        case nothingYet
        /// A text was handed on; the closure says whether it was taken.
        case handedOn(@Sendable () -> Bool)
        case ended
    }

    private static let pieceSize = 64 << 10
    /// The most bytes read of a program that still writes when its attempt has ended: the content
    /// of the largest pipe.
    private static let mostAtEnd = 1 << 20

    private let pipe: PipeReader
    private let key: Int
    private let say: ErrorText.Handover
    /// Whether the last text was handed on; the lock ensures that the texts of both threads keep
    /// their order.
    private let isEnded = Lock(false)

    init(_ pipe: PipeReader, key: Int, say: @escaping ErrorText.Handover) {
        self.pipe = pipe
        self.key = key
        self.say = say
    }

    /// For an `EventPoll`, which watches it.
    var descriptor: Int32 { pipe.descriptor }

    /// Hands on the available bytes, at most one piece.
    func read() -> Read {
        isEnded.withLock { isEnded in
            if isEnded { return .ended }
            guard let bytes = piece() else {
                isEnded = true
                _ = say(ErrorText(key: key, bytes: [], isLast: true))
                return .ended
            }
            guard !bytes.isEmpty else { return .nothingYet }
            return .handedOn(say(ErrorText(key: key, bytes: bytes, isLast: false)))
        }
    }

    /// Hands on the rest; later output of the program and of programs that it started is lost.
    func close() {
        isEnded.withLock { isEnded in
            guard !isEnded else { return }
            isEnded = true
            var rest: [UInt8] = []
            while rest.count < Self.mostAtEnd, let bytes = piece(), !bytes.isEmpty { rest += bytes }
            _ = say(ErrorText(key: key, bytes: rest, isLast: true))
        }
    }

    /// The next bytes, empty when there are none yet; nil at the end, or when the pipe cannot be
    /// read.
    private func piece() -> [UInt8]? {
        (try? pipe.next(atMost: Self.pieceSize)) ?? nil
    }
}
