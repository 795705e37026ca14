internal import CurlKit
internal import SystemKit
internal import TransferModel

/// A file that is there, hashed a piece at a time, so that other work of its thread comes in
/// between.
///
/// One thread works on it at a time.
final class PresentFile: Sendable {
    /// How the file stands.
    enum Finding {
        /// There is more of it to be hashed.
        case more
        case same
        case different
        /// Nobody can tell.
        case unreadable(SystemError)
    }

    /// How far the file is hashed.
    private struct Hashing: ~Copyable {
        /// nil before the first step.
        private var file: InputFile?
        private var digest: MessageDigest?
        private var offset: Int64 = 0

        /// Reads the next part of the file.
        mutating func goOn(
            _ examination: FileExamination,
            while isWanted: @Sendable () -> Bool
        ) throws(SystemError) -> Finding {
            if file == nil, try !open(examination) { return .different }
            guard let file, let digest else { return .different }
            let size = file.identity.size
            let end = min(offset + PresentFile.step, size)
            while offset < end {
                guard isWanted() else { return .more }
                let bytes = try file.read(at: offset, count: Int(min(end - offset, 1 << 20)))
                if bytes.isEmpty { return .different }
                digest.update(bytes.span)
                offset += Int64(bytes.count)
            }
            if offset < size { return .more }
            let isSame = digest.finish() == examination.checksum.digest && file.isUnchanged
            return isSame ? .same : .different
        }

        /// Opens the file; false when something tells at once that it is another one.
        private mutating func open(_ examination: FileExamination) throws(SystemError) -> Bool {
            let file = try InputFile(
                path: examination.path,
                followsLink: examination.followsLink
            )
            if let mode = examination.mode, mode != file.permissions { return false }
            if let limit = examination.maximumSize, file.identity.size > limit { return false }
            digest = MessageDigest(examination.checksum.algorithm.family)
            self.file = file
            return digest != nil
        }
    }

    /// What one step reads, bytes.
    private static let step: Int64 = 16 << 20

    let key: Int
    /// When the task's life is over.
    let deadline: MonotonicTime?
    let startTime = MonotonicTime.now
    private let request: TransactionMetrics.SentRequest
    private let examination: FileExamination
    private let hashing = Lock(Hashing())

    init(_ examination: FileExamination, for attempt: borrowing AttemptRequest) {
        self.examination = examination
        key = attempt.key
        deadline = attempt.deadline
        request = .init(
            method: attempt.request.method,
            url: attempt.request.url.text,
            headers: HeaderFields(attempt.request.headers)
        )
    }

    /// Hashes on.
    ///
    /// - Parameter isWanted: Asked from time to time.
    /// - Returns: How the file stands; `more` when nobody wants to know, or the time is over.
    func examine(while isWanted: @Sendable () -> Bool) -> Finding {
        do throws(SystemError) {
            return try hashing.withLock { hashing throws(SystemError) in
                try hashing.goOn(examination) {
                    isWanted() && deadline.map { MonotonicTime.now < $0 } ?? true
                }
            }
        } catch {
            return .unreadable(error)
        }
    }

    /// What the examination has come to.
    ///
    /// - Parameters:
    ///   - finding: That of the last step.
    ///   - isCancelled: Whether nobody wants to know any more.
    /// - Returns: nil while the examination goes on.
    func result(of finding: Finding, isCancelled: Bool) -> AttemptResult? {
        let now = MonotonicTime.now
        var result = AttemptResult(
            key: key,
            startTime: startTime,
            endTime: now,
            currentRequest: request
        )
        switch finding {
        case .same:
            result.isUnchanged = true
            result.voucher = .checksum
        case .different: break
        // A download replaces a file that nobody can read, but not one that is to stay.
        case .unreadable(let error) where examination.followsLink && !error.isMissing:
            result.failure = TransferFailure(reading: error, phase: .prepare)
        case .unreadable: break
        case .more where isCancelled: result.failure = .endOfExamination(.cancelled, "cancelled")
        case .more:
            guard let deadline, now >= deadline else { return nil }
            result.failure = .endOfExamination(.timeout, "the task's time is over")
        }
        return result
    }
}

extension TransferFailure {
    /// An examination that was ended before it had come to anything; nothing was sent.
    fileprivate static func endOfExamination(_ kind: Kind, _ detail: String) -> TransferFailure {
        var failure = TransferFailure(kind: kind, phase: .prepare, detail: detail)
        failure.urlError =
            kind == .timeout
            ? .timedOut
            : .cancelled
        failure.isKnownUnprocessed = true
        return failure
    }
}
