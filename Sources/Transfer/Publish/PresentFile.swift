internal import CurlKit
package import SystemKit
internal import TransferModel

/// An existing file that is hashed piece by piece, so that its thread can do other work in between.
///
/// One thread at a time uses it.
final class PresentFile: Sendable {
    /// The state of the check.
    enum Finding {
        /// More of the file must be hashed.
        case more
        case same
        case different
        /// The file cannot be read.
        case unreadable(SystemError)
        /// The signature cannot be checked.
        case failed(TransferFailure)
        case cancelled
    }

    /// The progress of hashing.
    fileprivate struct Hashing: ~Copyable {
        /// nil before the first step.
        private var file: InputFile?
        private var digest: MessageDigest?
        private var offset: Int64 = 0

        /// Hashes the next part of the file; at its end, lets the program check the signature.
        mutating func goOn(
            _ examination: FileExamination,
            for key: Int,
            by signatures: SignatureChecks,
            until deadline: TaskDeadline?,
            while isWanted: @Sendable () -> Bool
        ) throws(SystemError) -> Finding {
            if file == nil, try !open(examination) { return .different }
            guard let file else { return .different }
            if let checksum = examination.checksum {
                let finding = try hash(file, checksum, while: isWanted)
                guard case .same = finding else { return finding }
            }
            let failure = examination.signature.flatMap { signature in
                signatures.check(file, signature, of: examination.path, for: key, until: deadline)
            }
            guard let failure else { return file.isUnchanged ? .same : .different }
            switch failure.kind {
            case .signature: return .different
            case .cancelled: return .cancelled
            case .timeout: return .more
            default: return .failed(failure)
            }
        }

        /// Hashes the next part of the open file.
        private mutating func hash(
            _ file: InputFile,
            _ checksum: Checksum,
            while isWanted: @Sendable () -> Bool
        ) throws(SystemError) -> Finding {
            guard let digest else { return .different }
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
            return digest.finish() == checksum.digest ? .same : .different
        }

        /// Opens the file; false when its properties show a difference.
        private mutating func open(_ examination: FileExamination) throws(SystemError) -> Bool {
            let file = try InputFile(
                path: examination.path,
                followsLink: examination.followsLink
            )
            if let mode = examination.mode, mode != file.permissions { return false }
            if let limit = examination.maximumSize, file.identity.size > limit { return false }
            if let folder = examination.archiveFolder {
                // A file in place of the folder shows itself when the archive is extracted again.
                guard (try? Folder(path: folder, create: false)) != nil else { return false }
            }
            digest = examination.checksum.flatMap { MessageDigest($0.algorithm.family) }
            self.file = file
            return digest != nil || examination.checksum == nil
        }
    }

    /// The bytes read in one step.
    private static let step: Int64 = 16 << 20

    let key: Int
    private let deadline: TaskDeadline?
    let startTime = MonotonicTime.now
    private let request: TransactionMetrics.SentRequest
    private let examination: FileExamination
    private let hashing = Lock(Hashing())

    /// Whether a signature must vouch for the file.
    var hasSignature: Bool { examination.signature != nil }

    init(
        _ examination: FileExamination,
        for attempt: borrowing AttemptRequest,
        within limit: TimeLimit?
    ) {
        self.examination = examination
        key = attempt.key
        deadline = TaskDeadline(attempt.deadline, limit)
        request = .init(
            method: attempt.request.method,
            url: attempt.request.url.text,
            headers: HeaderFields(attempt.request.headers)
        )
    }

    /// Continues hashing.
    ///
    /// - Parameters:
    ///   - signatures: Runs the program that checks the signature.
    ///   - isWanted: Called from time to time.
    /// - Returns: The state; `more` when the result is no longer wanted or the time is over.
    func examine(
        by signatures: SignatureChecks,
        while isWanted: @Sendable () -> Bool
    ) -> Finding {
        do throws(SystemError) {
            return try hashing.withLock { hashing throws(SystemError) in
                try hashing.goOn(examination, for: key, by: signatures, until: deadline) {
                    isWanted() && deadline?.isOver != true
                }
            }
        } catch {
            return .unreadable(error)
        }
    }

    /// The result of the check.
    ///
    /// - Parameters:
    ///   - finding: The result of the last step.
    ///   - isCancelled: Whether the result is no longer wanted.
    /// - Returns: nil while the check continues.
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
            result.voucher = examination.checksum == nil ? .signature : .checksum
        case .different: break
        case .failed(let failure): result.failure = failure
        // A download replaces an unreadable file, unless the file must be kept.
        case .unreadable(let error) where examination.followsLink && !error.isMissing:
            result.failure = TransferFailure(reading: error, phase: .prepare)
        case .unreadable: break
        case .cancelled,
            .more where isCancelled:
            result.failure = .cancelledCheck(.prepare)
            result.failure?.isKnownUnprocessed = true
        case .more:
            guard let deadline, now >= deadline.time else { return nil }
            result.failure = deadline.failure(.prepare)
            result.failure?.isKnownUnprocessed = true
        }
        return result
    }
}

extension FileExamination {
    /// Reads all of the file; whether it is the expected one.
    ///
    /// - Returns: nil when only its signature is open, which cannot be checked.
    package func isMet() throws(SystemError) -> Bool? {
        var hashing = PresentFile.Hashing()
        let signatures = SignatureChecks()
        while true {
            switch try hashing.goOn(self, for: 0, by: signatures, until: nil, while: { true }) {
            case .more: continue
            case .same: return true
            case .different: return false
            case .failed, .cancelled: return nil
            case .unreadable(let error): throw error
            }
        }
    }
}
