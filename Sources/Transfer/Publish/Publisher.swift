internal import SystemKit
internal import TransferModel

/// Publishes files on its own threads, because this work would block an engine thread, which serves
/// the network.
///
/// An engine thread never waits for a disk sync or hashes a large file.
final class Publisher: Sendable {
    private struct Queue {
        var jobs: [PublicationJob] = []
        /// The keys of the attempts whose files wait or are published.
        var publishing: Set<Int> = []
        /// Done when no files wait.
        var checkpoints: [PartialCheckpoint] = []
        /// Hashed step by step when there is no other work.
        var presentFiles: [PresentFile] = []
        /// The keys of files that are hashed or wait for it, and whether they are cancelled.
        var examinations: [Int: Bool] = [:]
        /// Whether records of uploads must be written, which comes first: a later run needs them to
        /// resume.
        var hasRecords = false
        var isStopped = false

        var isEmpty: Bool {
            jobs.isEmpty && checkpoints.isEmpty && presentFiles.isEmpty && !hasRecords
        }
    }

    /// The next work of a thread.
    private enum Turn {
        case publications([PublicationJob])
        case checkpoint(PartialCheckpoint)
        case examination(PresentFile)
        case records
    }

    /// A thread that waits for the disk blocks only itself: with syncing, several files are synced
    /// at the same time.
    private static let syncingThreads = 8
    /// A thread takes as many files as it can publish in this time, by its last measurement: one on
    /// a slow disk, and many in memory, where waking other threads would cost more than the work.
    private static let turnNanoseconds: Int64 = 500_000

    private let queue = Lock(Queue())
    let durability: Durability
    private let deliver: @Sendable ([AttemptEvent]) -> Void
    private let threadCount: Int
    /// nil without records of uploads.
    private let uploads: UploadStore?
    /// nil when no peer names files, or no journal records which files the job wrote.
    private let written: (any WrittenFileRecord)?
    private let signatures = SignatureChecks()

    init(
        durability: Durability,
        uploads: UploadStore? = nil,
        written: (any WrittenFileRecord)? = nil,
        deliver: @escaping @Sendable ([AttemptEvent]) -> Void
    ) {
        self.durability = durability
        self.uploads = uploads
        self.written = written
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

    /// Lets cancellations reach the check of a job's signature, which is submitted later.
    func expect(_ job: PublicationJob) { if job.hasSignature { signatures.expect(job.result.key) } }

    func submit(_ jobs: [PublicationJob]) {
        queue.withLock { queue in
            queue.jobs.append(contentsOf: jobs)
            for job in jobs { queue.publishing.insert(job.result.key) }
        }
        queue.notify()
    }

    /// Whether the result of an attempt will come, or has come, from here.
    func isPublishing(_ key: Int) -> Bool { queue.withLock { $0.publishing.contains(key) } }

    func submit(_ checkpoint: PartialCheckpoint) {
        queue.withLock { $0.checkpoints.append(checkpoint) }
        queue.notify()
    }

    /// Checks an existing file against its checksum; the result arrives like an attempt's result.
    func submit(_ file: PresentFile) {
        if file.hasSignature { signatures.expect(file.key) }
        queue.withLock {
            $0.examinations[file.key] = false
            $0.presentFiles.append(file)
        }
        queue.notify()
    }

    /// Cancels the checks of existing files and of signatures with those keys; ignores unknown
    /// keys.
    func cancel(_ keys: [Int]) {
        queue.withLock { queue in
            guard !queue.examinations.isEmpty else { return }
            for key in keys where queue.examinations[key] != nil {
                queue.examinations[key] = true
            }
        }
        // Last, so that an examination whose program ends knows why.
        signatures.cancel(keys)
    }

    /// Writes the records that `UploadStore` received.
    func submitRecords() {
        queue.withLock { $0.hasRecords = true }
        queue.notify()
    }

    /// Ends the threads after all submitted work.
    func stop() {
        queue.withLock { $0.isStopped = true }
        for _ in 0..<threadCount { queue.notify() }
    }

    private func run() {
        var publication = Publication(
            durability: durability,
            written: written,
            signatures: signatures
        )
        var share = 1
        while let turn = take(share) {
            let jobs: [PublicationJob]
            switch turn {
            case .publications(let taken): jobs = taken
            case .checkpoint(let checkpoint):
                checkpoint.partial.checkpoint(
                    at: checkpoint.length,
                    !checkpoint.isSettled ? .process : durability == .none ? .restart : .powerLoss,
                    // The end of a run does not wait for reading all earlier partial files.
                    while: { !queue.withLock { $0.isStopped } }
                )
                continue
            case .examination(let file):
                examine(file)
                continue
            case .records:
                uploads?.flush()
                continue
            }
            let start = MonotonicTime.now
            let ended = jobs.map { publication.publish($0) }
            for job in jobs where job.hasSignature { signatures.end(job.result.key) }
            deliver(ended.map { .finished($0) })
            queue.withLock { queue in for job in jobs { queue.publishing.remove(job.result.key) } }
            let perJob = (MonotonicTime.now - start).nanoseconds / Int64(jobs.count)
            share = Int(Self.turnNanoseconds / max(perJob, 1)) + 1
        }
    }

    /// Hashes a further part of a file, which then waits for its next turn.
    private func examine(_ file: PresentFile) {
        let isCancelled: @Sendable () -> Bool = { [queue] in
            queue.withLock { $0.isStopped || $0.examinations[file.key] == true }
        }
        let finding = file.examine(by: signatures, while: { !isCancelled() })
        guard let result = file.result(of: finding, isCancelled: isCancelled()) else {
            queue.withLock { $0.presentFiles.append(file) }
            queue.notify()
            return
        }
        if file.hasSignature { signatures.end(file.key) }
        queue.withLock { $0.examinations[file.key] = nil }
        deliver([.finished(result)])
    }

    /// Waits for and takes the next work, at most `count` jobs; nil at the end.
    private func take(_ count: Int) -> Turn? {
        let (turn, isMoreLeft) = queue.withLock(
            when: { !$0.isEmpty || $0.isStopped },
            until: nil
        ) { queue -> (Turn?, Bool) in
            if queue.hasRecords {
                queue.hasRecords = false
                return (.records, !queue.isEmpty)
            }
            guard !queue.jobs.isEmpty else {
                if !queue.checkpoints.isEmpty {
                    return (.checkpoint(queue.checkpoints.removeFirst()), !queue.isEmpty)
                }
                guard !queue.presentFiles.isEmpty else { return (nil, false) }
                return (.examination(queue.presentFiles.removeFirst()), !queue.isEmpty)
            }
            // The check of a signature may take long: another thread, if there is one, takes the
            // other files meanwhile.
            let quick = queue.jobs.prefix(count).prefix { !$0.hasSignature }
            let taken = Array(quick.isEmpty ? queue.jobs.prefix(1) : quick)
            queue.jobs.removeFirst(taken.count)
            return (.publications(taken), !queue.isEmpty)
        }
        // A thread wakes another one only while there is work for it.
        if isMoreLeft { queue.notify() }
        return turn
    }
}
