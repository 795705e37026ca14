internal import CurlKit
internal import SystemKit
internal import TransferModel

/// Makes files out of complete bodies: writes, verifies, syncs and names them, on threads of its own.
///
/// The engine thread never waits for a disk because of this.
final class Publisher: Sendable {
    /// A complete body and the attempt that it came from.
    struct Job: Sendable {
        var result: AttemptResult
        var content: ResponseSink.Content
        var destination: TaskSpec.Destination
    }

    private struct Queue {
        var jobs: [Job] = []
        var isStopped = false
    }

    /// A thread that waits for the disk waits alone: with syncing on, several files are synced at once.
    private static let syncingThreads = 8
    /// A thread takes as many files as it makes in this time by its last measure: one on a disk that takes its time to
    /// sync, many in memory, where waking others costs more than the work.
    private static let turnNanoseconds: Int64 = 500_000

    private let queue = Lock(Queue())
    private let durability: Durability
    private let deliver: @Sendable ([AttemptEvent]) -> Void
    private let threadCount: Int

    init(durability: Durability, deliver: @escaping @Sendable ([AttemptEvent]) -> Void) {
        self.durability = durability
        self.deliver = deliver
        threadCount = durability == .none ? 1 : Self.syncingThreads
    }

    /// Runs the threads until `stop`; the caller joins them.
    func start() throws(SystemError) -> [JoinableThread] {
        var threads: [JoinableThread] = []
        for _ in 0..<threadCount {
            do throws(SystemError) {
                threads.append(try JoinableThread(name: "publish") { [self] in run() })
            } catch  where !threads.isEmpty {
                break
            }
        }
        return threads
    }

    func submit(_ jobs: [Job]) {
        queue.withLock { $0.jobs.append(contentsOf: jobs) }
        queue.notify()
    }

    /// Ends the threads once everything submitted is done.
    func stop() {
        queue.withLock { $0.isStopped = true }
        for _ in 0..<threadCount { queue.notify() }
    }

    private func run() {
        var lastFolder: Folder?
        var share = 1
        while let jobs = take(share) {
            let start = MonotonicTime.now
            deliver(jobs.map { .finished(publish($0, &lastFolder)) })
            let perJob = (MonotonicTime.now - start).nanoseconds / Int64(jobs.count)
            share = Int(Self.turnNanoseconds / max(perJob, 1)) + 1
        }
    }

    /// The next jobs, at most `count`; waits for them, and returns nil at the end.
    private func take(_ count: Int) -> [Job]? {
        let (jobs, isMoreLeft) = queue.withLock(
            when: { !$0.jobs.isEmpty || $0.isStopped },
            until: nil
        ) { queue in
            let taken = Array(queue.jobs.prefix(count))
            queue.jobs.removeFirst(taken.count)
            return (taken, !queue.jobs.isEmpty)
        }
        // One thread wakes the next only while there is work for it.
        if isMoreLeft { queue.notify() }
        return jobs.isEmpty ? nil : jobs
    }

    private func publish(_ job: Job, _ lastFolder: inout Folder?) -> AttemptResult {
        var result = job.result
        do throws(SystemError) {
            let (file, folder) = try file(for: job, &lastFolder)
            if let failure = try verify(file, job, &result) {
                result.failure = failure
            } else {
                if durability != .none { try file.sync() }
                try file.publish(replacing: job.destination.ifExists != .fail)
                if durability == .full { try folder.sync() }
                result.file = .init(
                    path: job.destination.displayPath,
                    size: file.size,
                    sha256: job.destination.sha256.map(SHA256Digest.hexadecimal)
                )
            }
        } catch {
            result.failure = TransferFailure(error, phase: .finish)
        }
        result.endTime = .now
        return result
    }

    private func file(
        for job: Job,
        _ lastFolder: inout Folder?
    ) throws(SystemError) -> (OutputFile, Folder) {
        switch job.content {
        case .file(let file, let folder):
            return (file, folder)
        case .memory(let bytes):
            let (path, name) = job.destination.split
            let folder: Folder
            if let lastFolder, lastFolder.path == path {
                folder = lastFolder
            } else {
                folder = try Folder(path: path, create: true)
                lastFolder = folder
            }
            do throws(SystemError) {
                let file = try OutputFile(in: folder, name: name)
                try file.write(bytes.span)
                return (file, folder)
            } catch {
                // The folder may have been removed since it was opened: open it anew next time.
                lastFolder = nil
                throw error
            }
        }
    }

    /// Compares the checksum; nil when it matches or none was asked for.
    private func verify(
        _ file: OutputFile,
        _ job: Job,
        _ result: inout AttemptResult
    ) throws(SystemError) -> TransferFailure? {
        guard let expected = job.destination.sha256 else { return nil }
        guard let digest = SHA256Digest() else {
            return TransferFailure(
                kind: .engine,
                phase: .finish,
                detail: "libcrypto has no SHA-256 to verify with"
            )
        }
        switch job.content {
        case .memory(let bytes): digest.update(bytes.span)
        case .file: try Self.hash(file, into: digest)
        }
        let actual = digest.finish()
        if actual == expected {
            result.voucher = .checksum
            return nil
        }
        var failure = TransferFailure(
            kind: .integrity,
            phase: .finish,
            detail: "the SHA-256 is \(SHA256Digest.hexadecimal(actual)) instead of "
                + SHA256Digest.hexadecimal(expected)
        )
        failure.urlError = TransferFailure.URLErrorCode(code: -1015, name: "cannotDecodeRawData")
        failure.help = "nothing was written to \(job.destination.displayPath)"
        return failure
    }

    private static func hash(
        _ file: OutputFile,
        into digest: SHA256Digest
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

extension TransferFailure {
    /// A system call that failed: permanent, because nothing changes by trying again.
    init(_ error: SystemError, phase: Phase) {
        self.init(kind: .localIO, phase: phase, detail: error.message)
        osErrno = Int(error.errno)
        isPermanent = true
        urlError = URLErrorCode(code: -3003, name: "cannotWriteToFile")
    }
}

extension MonotonicTime {
    /// The present.
    static var now: MonotonicTime {
        MonotonicTime(nanoseconds: Clock.monotonicNanoseconds())
    }
}
