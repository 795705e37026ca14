internal import SystemKit

/// The standard error of one run of a program; read by the relay's thread, and by the engine's when
/// the attempt ends.
final class ErrorStream: Sendable {
    /// What one read led to.
    enum Read {
        case nothingYet
        /// Something was handed on; the closure says whether it was taken.
        case handedOn(@Sendable () -> Bool)
        case ended
    }

    private static let pieceSize = 64 << 10
    /// How much is read of a program that goes on writing when its attempt has ended, bytes: what
    /// the largest pipe holds.
    private static let mostAtEnd = 1 << 20

    private let pipe: PipeReader
    private let key: Int
    private let say: ErrorText.Handover
    /// Whether the last text was handed on; what one thread reads is handed on before another one
    /// reads more.
    private let isEnded = Lock(false)

    init(_ pipe: PipeReader, key: Int, say: @escaping ErrorText.Handover) {
        self.pipe = pipe
        self.key = key
        self.say = say
    }

    /// To be watched by an `EventPoll`.
    var descriptor: Int32 { pipe.descriptor }

    /// Hands on what is there, at most a piece of it.
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

    /// Hands on what is left; what the program, or something that it has started, writes from now
    /// on is lost.
    func close() {
        isEnded.withLock { isEnded in
            guard !isEnded else { return }
            isEnded = true
            var rest: [UInt8] = []
            while rest.count < Self.mostAtEnd, let bytes = piece(), !bytes.isEmpty { rest += bytes }
            _ = say(ErrorText(key: key, bytes: rest, isLast: true))
        }
    }

    /// The next bytes, none when there are none yet; nil at the end, for which a pipe that cannot
    /// be read is taken.
    private func piece() -> [UInt8]? {
        (try? pipe.next(atMost: Self.pieceSize)) ?? nil
    }
}
