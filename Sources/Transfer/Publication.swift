internal import CurlKit
internal import SystemKit
internal import TransferModel

/// A complete body and the attempt that it came from.
///
/// A class, because it is large and handed on from thread to thread.
final class PublicationJob: Sendable {
    let result: AttemptResult
    /// What the response must say before anything is published.
    let check: ContentCheck?
    let content: ResponseSink.Content
    /// nil when the body is only checked.
    let destination: TaskSpec.Destination?
    /// Whether the body is read as a list of checksums.
    let isChecksumList: Bool
    /// What becomes of the stored response; nil when no cache has to do with it.
    let cached: CacheOutcome?

    init(
        _ result: consuming AttemptResult,
        _ content: ResponseSink.Content,
        check: ContentCheck?,
        destination: TaskSpec.Destination?,
        isChecksumList: Bool,
        cached: CacheOutcome? = nil
    ) {
        self.result = result
        self.content = content
        self.check = check
        self.destination = destination
        self.isChecksumList = isChecksumList
        self.cached = cached
    }

    /// Whether carrying it out takes no longer than a few system calls.
    func isQuick(at durability: Durability) -> Bool {
        if let check, !check.isQuick { return false }
        if let partial = result.resume?.partial, partial.isKept { return false }
        if isChecksumList, case .memory(let bytes) = content {
            return bytes.count <= ResponseSink.memoryLimit
        }
        guard let destination else { return true }
        guard durability == .none else { return false }
        if case .memory = content { return true }
        return destination.checksum == nil
    }
}

/// Makes files out of complete bodies: writes, verifies, syncs and names them.
struct Publication {
    let durability: Durability
    private var recentFolder = RecentFolder()

    init(durability: Durability) {
        self.durability = durability
    }

    /// Carries a job out; the result has the file, or the failure that kept it from its name.
    mutating func publish(_ job: PublicationJob) -> AttemptResult {
        var result = job.result
        let findings = job.check?.judge()
        if let findings {
            result.checks += findings.checks
            result.failure = findings.failure
        }
        if result.failure == nil, let destination = job.destination {
            publish(job.content, to: destination, &result)
        }
        if job.isChecksumList, result.failure == nil, case .memory(let bytes) = job.content {
            result.checksums = ChecksumList(bytes)
        }
        if let resume = result.resume { end(resume, &result) }
        job.cached?.end(&result)
        if result.failure == nil, let findings { result.captured = findings.captured }
        result.endTime = .now
        return result
    }

    /// A part that became a file, or is of no use, leaves nothing behind; any other one stays for the next run.
    private func end(_ resume: ResumeOutcome, _ result: inout AttemptResult) {
        if result.failure?.endsResuming == true || result.isUnchanged
            || resume.partial?.isSpoilt == true
        {
            resume.partial?.discard()
        } else if result.failure == nil {
            resume.partial?.didPublish()
        }
        result.resume = resume.withoutPartial
    }

    private mutating func publish(
        _ content: ResponseSink.Content,
        to destination: TaskSpec.Destination,
        _ result: inout AttemptResult
    ) {
        do throws(SystemError) {
            do throws(SystemError) {
                try place(content, at: destination, &result)
            } catch {
                // The folder that the last file went to may be gone by now: once more, with one that is there.
                guard case .memory = content, recentFolder.forgetIfMoved() else { throw error }
                try place(content, at: destination, &result)
            }
        } catch {
            result.failure = TransferFailure(error, phase: .finish)
            if error.isTaken { note(destination, appearedIn: &result) }
        }
    }

    /// Verifies a body and makes a file of it.
    private mutating func place(
        _ content: ResponseSink.Content,
        at destination: TaskSpec.Destination,
        _ result: inout AttemptResult
    ) throws(SystemError) {
        let (file, folder) = try file(of: content, for: destination, at: result.endTime)
        var failure = try verify(result.resume?.partial, destination)
        if failure == nil { failure = try verify(file, content, destination, &result) }
        if let failure {
            result.failure = failure
            return
        }
        if let mode = destination.mode { file.setMode(exactly: mode) }
        if durability != .none { try file.sync() }
        try file.publish(replacing: destination.ifExists.mayReplace)
        if durability == .full { try folder.sync() }
        result.file = .init(
            path: destination.displayPath,
            size: file.size,
            sha256: destination.digest(.sha256).map(MessageDigest.hexadecimal),
            resumedFrom: result.resume?.resumedFrom
        )
    }

    /// Something has taken the name since the scheduler looked, before the transfer started.
    private func note(
        _ destination: TaskSpec.Destination,
        appearedIn result: inout AttemptResult
    ) {
        guard destination.ifExists == .skip else {
            result.failure?.detail =
                "\(destination.displayPath) has appeared since the transfer started"
            result.failure?.help = "it was left as it is, because `ifExists` is `fail`"
            return
        }
        let fault = PathOccupant(at: destination.path).fault(at: destination.path)
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

    /// Compares what an earlier run has left with its record; nil when it is the same, or the file's checksum will tell.
    private func verify(
        _ partial: PartialDownload?,
        _ destination: TaskSpec.Destination
    ) throws(SystemError) -> TransferFailure? {
        guard let partial, destination.checksum == nil, try !partial.verify() else { return nil }
        return TransferFailure(
            kind: .integrity,
            phase: .finish,
            detail: "what an earlier run has left of \(destination.displayPath) has changed"
        )
    }

    /// Compares the checksum; nil when it matches or none was asked for.
    private func verify(
        _ file: OutputFile,
        _ content: ResponseSink.Content,
        _ destination: TaskSpec.Destination,
        _ result: inout AttemptResult
    ) throws(SystemError) -> TransferFailure? {
        guard case .digest(let expected)? = destination.checksum else { return nil }
        let title = expected.algorithm.title
        guard let digest = MessageDigest(expected.algorithm.family) else {
            return TransferFailure(
                kind: .engine,
                phase: .finish,
                detail: "libcrypto has no \(title) to verify with"
            )
        }
        switch content {
        case .memory(let bytes): digest.update(bytes.span)
        case .file: try Self.hash(file, into: digest)
        }
        let actual = digest.finish()
        if actual == expected.digest {
            result.voucher = .checksum
            return nil
        }
        var failure = TransferFailure(
            kind: .integrity,
            phase: .finish,
            detail: "the \(title) is \(MessageDigest.hexadecimal(actual)) instead of "
                + MessageDigest.hexadecimal(expected.digest)
        )
        failure.urlError = TransferFailure.URLErrorCode(code: -1015, name: "cannotDecodeRawData")
        failure.help = "nothing was written to \(destination.displayPath)"
        return failure
    }

    private static func hash(
        _ file: OutputFile,
        into digest: MessageDigest
    ) throws(SystemError) {
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

extension TaskSpec.Destination {
    /// The digest that the file was held against, if it is of that algorithm.
    fileprivate func digest(_ algorithm: Checksum.Algorithm) -> [UInt8]? {
        guard case .digest(let checksum)? = checksum, checksum.algorithm == algorithm else {
            return nil
        }
        return checksum.digest
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

extension MonotonicTime {
    /// The present.
    static var now: MonotonicTime {
        MonotonicTime(nanoseconds: Clock.monotonicNanoseconds())
    }
}
