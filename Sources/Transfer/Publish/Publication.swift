internal import CurlKit
internal import SystemKit
internal import TransferModel

/// A complete body and the attempt that received it.
///
/// A class, because it is large and passed between threads.
final class PublicationJob: Sendable {
    let result: AttemptResult
    /// The check of the response before publication.
    let check: ContentCheck?
    let content: ResponseSink.Content
    /// nil when the body is only checked.
    let destination: TaskSpec.Destination?
    /// When the check of the file's signature must end; nil for no limit of the task.
    let deadline: TaskDeadline?
    /// The digest of the file announced by the server.
    let announced: Checksum?
    /// Whether to parse the body as a list of checksums.
    let isChecksumList: Bool
    /// The treatment of the stored response; nil without a cache.
    let cached: CacheOutcome?

    init(
        _ result: consuming AttemptResult,
        _ content: ResponseSink.Content,
        check: ContentCheck?,
        destination: TaskSpec.Destination?,
        deadline: TaskDeadline?,
        announced: Checksum?,
        isChecksumList: Bool,
        cached: CacheOutcome? = nil
    ) {
        self.result = result
        self.content = content
        self.check = check
        self.destination = destination
        self.deadline = deadline
        self.announced = announced
        self.isChecksumList = isChecksumList
        self.cached = cached
    }

    /// Whether publication takes only a few system calls, apart from syncing.
    var isQuick: Bool {
        if let check, !check.isQuick { return false }
        if destination?.archiveFolder != nil || hasSignature { return false }
        // The record of the job's own files is on a disk.
        if destination?.replacesOnlyOwn == true { return false }
        if let partial = result.resume?.partial, partial.isKept { return false }
        if isChecksumList, case .memory(let bytes) = content {
            return bytes.count <= ResponseSink.memoryLimit
        }
        guard let destination else { return true }
        if case .memory = content { return true }
        return destination.checksum == nil && announced == nil && destination.lock != .making
    }

    /// Whether a signature must vouch for the file.
    var hasSignature: Bool { destination?.signature != nil }

    /// The file's name in messages.
    var displayPath: String { destination?.displayPath ?? "the body" }

    /// The checksum for the file, and its source: the job's takes precedence over the server's.
    var expected: (checksum: Checksum, voucher: BodyVoucher)? {
        if case .digest(let checksum)? = destination?.checksum { return (checksum, .checksum) }
        return announced.map { ($0, .digest) }
    }
}

/// Publishes complete bodies as files: writes, verifies, syncs and names them.
struct Publication {
    let durability: Durability
    /// nil when no peer names files, or nothing keeps which ones the job wrote.
    private let written: (any WrittenFileRecord)?
    private let signatures: SignatureChecks
    private var recentFolder = RecentFolder()

    init(
        durability: Durability,
        written: (any WrittenFileRecord)? = nil,
        signatures: SignatureChecks = SignatureChecks()
    ) {
        self.durability = durability
        self.written = written
        self.signatures = signatures
    }

    /// Whether a job takes only a few system calls that do not wait for a disk.
    mutating func isQuick(_ job: PublicationJob) -> Bool {
        guard job.isQuick else { return false }
        guard durability != .none, let destination = job.destination else { return true }
        switch job.content {
        case .memory: return recentFolder.isInMemory(of: destination, at: job.result.endTime)
        case .file(_, let folder): return folder.isInMemory
        }
    }

    /// Publishes a job; the result has the file, or the failure that prevented it.
    mutating func publish(_ job: PublicationJob) -> EndedAttempt {
        var result = job.result
        publish(job, &result)
        return EndedAttempt(consume result)
    }

    private mutating func publish(_ job: PublicationJob, _ result: inout AttemptResult) {
        let findings = job.check?.judge()
        if let findings {
            result.checks += findings.checks
            result.failure = findings.failure
            if result.failure != nil { result.isUnchanged = false }
        }
        if result.failure == nil, let destination = job.destination {
            publish(job, at: destination, &result)
        }
        if job.isChecksumList, result.failure == nil, case .memory(let bytes) = job.content {
            result.checksums = ChecksumList(bytes)
        }
        if let resume = result.resume { end(resume, &result) }
        job.cached?.end(&result)
        if result.failure == nil, let findings { result.captured = findings.captured }
        result.endTime = .now
    }

    /// Removes a partial file that was published or is useless; keeps any other for the next run.
    private func end(_ resume: ResumeOutcome, _ result: inout AttemptResult) {
        if result.failure?.endsResuming == true || result.isUnchanged
            || resume.partial?.isOfNoUse == true
        {
            resume.partial?.discard()
        } else if result.failure == nil {
            resume.partial?.didPublish()
        } else if let partial = resume.partial {
            // A later run may need it.
            partial.checkpoint(
                at: partial.size,
                durability == .none ? .restart : .powerLoss,
                while: { false }
            )
        }
        result.resume = resume.withoutPartial
    }

    private mutating func publish(
        _ job: PublicationJob,
        at destination: TaskSpec.Destination,
        _ result: inout AttemptResult
    ) {
        do throws(SystemError) {
            do throws(SystemError) {
                try place(job, at: destination, &result)
            } catch {
                // The previous file's folder may have been moved: try again with an existing one.
                guard case .memory = job.content, recentFolder.forgetIfMoved() else { throw error }
                try place(job, at: destination, &result)
            }
        } catch {
            result.failure = TransferFailure(error, phase: .finish)
            if error.isTaken { note(destination, appearedIn: &result) }
        }
    }

    /// Verifies a body and publishes it as a file.
    ///
    /// With `ifExists: skip`, a verified file replaces a different file that appeared meanwhile.
    private mutating func place(
        _ job: PublicationJob,
        at destination: TaskSpec.Destination,
        _ result: inout AttemptResult
    ) throws(SystemError) {
        let (file, folder) = try file(of: job.content, for: destination, at: result.endTime)
        var failure = try verify(result.resume?.partial, of: job)
        if failure == nil { failure = try verify(file, of: job, &result) }
        if let failure {
            result.failure = failure
            return
        }
        let sha256 = try sha256(of: file, job)
        failure = Self.lockMismatch(sha256, job)
        if failure == nil { failure = try verifySignature(of: file, job, &result) }
        if let failure {
            result.failure = failure
            return
        }
        var extraction: ExtractedArchive?
        if let archiveFolder = destination.archiveFolder {
            let isDurable = durability != .none && !folder.isInMemory
            do throws(ArchiveFault) {
                extraction = try extract(file, into: archiveFolder, isDurable, of: result.key)
            } catch {
                result.failure = TransferFailure(
                    error,
                    of: destination.displayPath,
                    isProven: result.voucher == .checksum,
                    archiveFolder.displayPath
                )
                return
            }
        }
        if let mode = destination.mode { file.setMode(exactly: mode) }
        if destination.modificationDate == .server, let date = result.response?.lastModified {
            file.setModificationDate(date)
        }
        // A peer that chose the name must not choose a program.
        if destination.isNamedByPeer { file.inheritNoExecution() }
        guard try name(file, at: destination, &result) else { return }
        if destination.replacesOnlyOwn, let identity = try? file.identity {
            written?.note(destination.path, identity, of: result.key)
        }
        if durability == .full { try folder.sync() }
        result.file = .init(
            path: destination.displayPath,
            size: file.size,
            sha256: sha256,
            resumedFrom: result.resume?.resumedFrom
        )
        result.file?.extraction = extraction
    }

    /// Extracts a verified file, and notes what a later run of the task may replace.
    private func extract(
        _ file: OutputFile,
        into folder: ArchiveFolder,
        _ isDurable: Bool,
        of task: Int
    ) throws(ArchiveFault) -> ExtractedArchive {
        let (extraction, content) = try folder.extract(file, isDurable: isDurable) { content in
            written?.has(folder.path, content, of: task) == true
        }
        if let content { written?.note(folder.path, content, of: task) }
        return extraction
    }

    /// Syncs a verified file and gives it its name; false when a file with its checksum, which
    /// appeared meanwhile, stays.
    private func name(
        _ file: OutputFile,
        at destination: TaskSpec.Destination,
        _ result: inout AttemptResult
    ) throws(SystemError) -> Bool {
        let task = result.key
        let replacing = mayReplace(at: destination, of: task)
        if durability != .none { try file.syncForPublishing(replacing: replacing) }
        do throws(SystemError) {
            // A file may have appeared, or changed, during the sync.
            try file.publish(replacing: replacing && mayReplace(at: destination, of: task))
        } catch {
            guard error.isTaken, destination.ifExists == .skip,
                result.voucher == .checksum || result.voucher == .signature,
                PathOccupant(at: destination.path).fault(at: destination.path) == nil
            else { throw error }
            // A file with the same checksum has the bytes of which the signature is, too.
            if case .digest(let checksum)? = destination.checksum,
                try Self.has(destination.path, checksum, size: file.size)
            {
                result.isUnchanged = true
                return false
            }
            // The file takes over the permissions of the replaced file, which must be synced too.
            if durability != .none { try file.syncForPublishing(replacing: true) }
            try file.publish(replacing: true)
        }
        return true
    }

    /// Whether the task may replace the present file of the destination.
    private func mayReplace(at destination: TaskSpec.Destination, of task: Int) -> Bool {
        guard destination.replacesOnlyOwn else { return destination.ifExists.mayReplace }
        return written?.hasFile(at: destination.path, of: task) == true
    }

    /// Handles a file that appeared after the scheduler's check, before the transfer started.
    private func note(
        _ destination: TaskSpec.Destination,
        appearedIn result: inout AttemptResult
    ) {
        guard destination.ifExists == .skip else {
            result.failure?.detail =
                "\(destination.displayPath) has appeared since the transfer started"
            result.failure?.help =
                destination.replacesOnlyOwn
                ? "the existing file was kept: without `ifExists: replace` it must be the task's own"
                : "the existing file was kept, because `ifExists` is `fail`"
            return
        }
        let fault = PathOccupant(at: destination.path).fault(at: destination.path)
        // Nothing has checked the signature of such a file.
        if fault == nil, destination.signature != nil { return }
        result.failure = fault.map { TransferFailure($0, phase: .finish) }
        result.isUnchanged = fault == nil
    }

    private mutating func file(
        of content: ResponseSink.Content,
        for destination: TaskSpec.Destination,
        at now: MonotonicTime
    ) throws(SystemError) -> (OutputFile, Folder) {
        switch content {
        case .file(let file, let folder):
            return (file, folder)
        case .memory(let bytes):
            let folder = try recentFolder.open(of: destination, at: now)
            let file = try OutputFile(in: folder, name: destination.name)
            try file.write(bytes.span)
            return (file, folder)
        }
    }

    /// Compares an earlier run's partial file with its record; nil if equal, or if a digest of the
    /// whole file decides.
    private func verify(
        _ partial: PartialDownload?,
        of job: PublicationJob
    ) throws(SystemError) -> TransferFailure? {
        guard let partial, job.expected == nil, try !partial.verify() else { return nil }
        return TransferFailure(
            kind: .integrity,
            phase: .finish,
            detail: "the partial file that an earlier run left for \(job.displayPath) has changed"
        )
    }

    /// Compares the digest; nil if it matches or none is expected.
    private func verify(
        _ file: OutputFile,
        of job: PublicationJob,
        _ result: inout AttemptResult
    ) throws(SystemError) -> TransferFailure? {
        guard let (expected, voucher) = job.expected else { return nil }
        let title = expected.algorithm.title
        guard let digest = MessageDigest(expected.algorithm.family) else {
            // The server's digest is optional: without libcrypto the file is accepted without it.
            guard voucher == .checksum else { return nil }
            return TransferFailure(
                kind: .engine,
                phase: .finish,
                detail: "libcrypto has no \(title) to verify with"
            )
        }
        try Self.hash(file, job.content, into: digest)
        let actual = digest.finish()
        if actual == expected.digest {
            result.voucher = voucher
            return nil
        }
        return Self.mismatch(actual, (expected, voucher), of: file, job, result.mirrors)
    }

    /// Lets the program check the signature; nil if it vouches for the file or none is expected.
    private func verifySignature(
        of file: OutputFile,
        _ job: PublicationJob,
        _ result: inout AttemptResult
    ) throws(SystemError) -> TransferFailure? {
        guard let destination = job.destination, let signature = destination.signature else {
            return nil
        }
        let failure = signatures.check(
            try file.reopened(),
            signature,
            of: destination.displayPath,
            for: result.key,
            until: job.deadline
        )
        if failure == nil, result.voucher != .checksum { result.voucher = .signature }
        return failure
    }

    /// The failure of a file with another digest than the expected one.
    private static func mismatch(
        _ actual: [UInt8],
        _ wanted: (checksum: Checksum, voucher: BodyVoucher),
        of file: OutputFile,
        _ job: PublicationJob,
        _ mirrors: [Origin]
    ) -> TransferFailure {
        let (expected, voucher) = wanted
        var failure = TransferFailure(
            kind: .integrity,
            phase: .finish,
            detail:
                "the \(expected.algorithm.title) is \(MessageDigest.hexadecimal(actual)) instead of "
                + MessageDigest.hexadecimal(expected.digest)
                + (voucher == .digest ? ", which the server announced" : "")
        )
        if !mirrors.isEmpty {
            let mirrors = mirrors.map(\.text).joined(separator: ", ")
            failure.detail += ", with parts from \(mirrors)"
        }
        failure.urlError = .cannotDecodeRawData
        guard case .obeying(let locked)? = job.destination?.lock, expected.algorithm == .sha256
        else {
            failure.help =
                "nothing was written to \(job.displayPath): compare the checksum with the "
                + "publisher's; the file may have changed"
            return failure
        }
        failure.detail += ", which the lock file has"
        if locked.size != file.size {
            failure.detail += ", and the size \(file.size) instead of \(locked.size) bytes"
        }
        failure.help = "nothing was written to \(job.displayPath): \(LockedDownload.advice)"
        return failure
    }

    /// The failure of a file that has the job's checksum, but another SHA-256 than the lock file.
    private static func lockMismatch(_ sha256: String?, _ job: PublicationJob) -> TransferFailure? {
        guard case .obeying(let locked)? = job.destination?.lock, let sha256,
            sha256 != locked.sha256
        else { return nil }
        var failure = TransferFailure(
            kind: .integrity,
            phase: .finish,
            detail: "the SHA-256 is \(sha256) instead of \(locked.sha256), which the lock file has"
        )
        failure.urlError = .cannotDecodeRawData
        failure.help = "nothing was written to \(job.displayPath): \(LockedDownload.advice)"
        return failure
    }

    /// The SHA-256 of a verified file in hexadecimal, if the job or a lock file asks for it.
    private func sha256(
        of file: OutputFile,
        _ job: PublicationJob
    ) throws(SystemError) -> String? {
        if let verified = job.expected?.checksum.digest(.sha256) {
            return MessageDigest.hexadecimal(verified)
        }
        guard let lock = job.destination?.lock, lock != .none, let digest = MessageDigest(.sha256)
        else { return nil }
        try Self.hash(file, job.content, into: digest)
        return MessageDigest.hexadecimal(digest.finish())
    }

    /// Whether the file at a path has a checksum, which implies that size.
    private static func has(
        _ path: String,
        _ checksum: Checksum,
        size: Int64
    ) throws(SystemError) -> Bool {
        let file: InputFile
        do throws(SystemError) {
            file = try InputFile(path: path)
        } catch {
            if error.isMissing { return false }
            throw error
        }
        guard file.identity.size == size,
            let digest = MessageDigest(checksum.algorithm.family)
        else { return false }
        var offset: Int64 = 0
        while offset < size {
            let bytes = try file.read(at: offset, count: Int(min(size - offset, 1 << 20)))
            if bytes.isEmpty { return false }
            digest.update(bytes.span)
            offset += Int64(bytes.count)
        }
        return digest.finish() == checksum.digest && file.isUnchanged
    }

    private static func hash(
        _ file: OutputFile,
        _ content: ResponseSink.Content,
        into digest: MessageDigest
    ) throws(SystemError) {
        if case .memory(let bytes) = content { return digest.update(bytes.span) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset: Int64 = 0
        while true {
            let count = try file.read(into: &buffer, at: offset)
            if count == 0 { return }
            digest.update(buffer.span.extracting(first: count))
            offset += Int64(count)
        }
    }
}

extension Checksum {
    /// The digest if it has that algorithm.
    fileprivate func digest(_ algorithm: Algorithm) -> [UInt8]? {
        self.algorithm == algorithm ? digest : nil
    }
}

extension Checksum.Algorithm {
    var family: MessageDigest.Algorithm {
        switch self {
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}

extension ResponseHead {
    /// The `Last-Modified` (RFC 9110 §8.8.2), seconds since 1970; nil without exactly one valid
    /// date.
    fileprivate var lastModified: Int64? {
        let dates = fields.values(of: "last-modified")
        let now = Timestamp(microseconds: Clock.wallNanoseconds() / 1000)
        guard dates.count == 1, let date = HTTPDate.parse(dates[0], now: now) else { return nil }
        return date.microseconds / 1_000_000
    }
}

extension MonotonicTime {
    /// The current time.
    static var now: MonotonicTime {
        MonotonicTime(nanoseconds: Clock.monotonicNanoseconds())
    }
}
