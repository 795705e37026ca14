internal import SystemKit
internal import TransferModel

/// What there is of a body whose transfer has been cut, and what it takes to go on with it.
///
/// Goes from one attempt to the next, and by its name and its record to the next run. One attempt
/// writes to its file at a time; the record is written by other threads meanwhile.
package final class PartialDownload: Sendable {
    /// What engine threads ask for; its lock is never held while anything waits for the disk.
    private struct State {
        /// Whether it has a name that stays.
        var isKept: Bool
        /// Whether it is published or given up: nothing is written any more.
        var isOver = false
        /// Whether a note waits for its turn.
        var isQueued = false
        /// Whether a checkpoint is under way.
        var isBusy = false
        /// What was asked for meanwhile, which follows; nil when nothing was.
        var next: (length: Int64, reach: PartialCheckpoint.Reach)?
        /// Whether a checkpoint has found that nobody is to go on with it.
        var isSpoilt = false
    }

    /// The record as it is written; who has its lock may wait for the disk.
    struct Writing {
        /// nil while the part has no name that stays.
        fileprivate var record: PartialRecord?
        fileprivate var file: PartialRecordFile
    }

    /// The URL that has answered, behind all redirects and without the signature in its query.
    enum Source {
        case url(String)
        /// All that a record tells of it.
        case digest(String, salt: String)
    }

    let file: OutputFile
    let folder: Folder
    /// The absolute path that the whole file is to have.
    let path: String
    /// The URL that was asked for it, before redirects.
    let url: String
    private let source: Source
    /// nil when the server of that URL has none: then only a checksum lets a mirror go on.
    let validator: ResumeValidator?
    /// The length of the whole, at least 1.
    package let total: Int64
    /// nil when the name leaves no room for another one.
    private let names: PartialNames?
    private let state: Lock<State>
    /// For threads that may wait for the disk; nobody waits for it who has the lock of `state`.
    let writing: Lock<Writing>
    private let prefix: Lock<PrefixDigest>
    /// How many stretches of the part earlier runs have left.
    private let earlierCount: Int

    /// A part of this run, or of an earlier one that has left it with a record.
    init(
        file: OutputFile,
        folder: Folder,
        path: String,
        url: String,
        source: Source,
        validator: ResumeValidator?,
        total: Int64,
        names: PartialNames?,
        record: PartialRecord? = nil,
        recordFile: PartialRecordFile = PartialRecordFile()
    ) {
        self.file = file
        self.folder = folder
        self.path = path
        self.url = url
        self.source = source
        self.validator = validator
        self.total = total
        self.names = names
        state = Lock(State(isKept: record != nil))
        writing = Lock(Writing(record: record, file: recordFile))
        let earlier = record?.checkpoints ?? []
        earlierCount = earlier.count
        prefix = Lock(PrefixDigest(behind: earlier))
    }

    /// How many bytes are there.
    package var size: Int64 { file.size }

    /// What a URL is asked for to go on; nil when it has to be asked for everything.
    ///
    /// Another URL than the one before may go on only when the file has a checksum, which shows
    /// whether both have the same.
    func offer(to url: String, hasChecksum: Bool) -> ResumeOffer? {
        guard size > 0, size <= total else { return nil }
        let isSameURL = isOf(url)
        guard isSameURL ? validator != nil : hasChecksum else { return nil }
        // Of a part that is whole the last byte is asked for again: so the validator is looked at,
        // and there is a range that every server can satisfy.
        return ResumeOffer(
            offset: min(size, total - 1),
            total: total,
            validator: isSameURL ? validator : nil
        )
    }

    /// Whether it is that URL that was asked for it, not a mirror of it.
    func isOf(_ url: String) -> Bool { url.hasSameBytes(as: self.url) }

    /// Whether it is that URL that has answered, but for a signature in its query.
    func isFrom(_ resource: String) -> Bool {
        switch source {
        case .url(let url): url.hasSameBytes(as: resource)
        case .digest(let digest, let salt): PartialRecord.digest(of: resource, salt) == digest
        }
    }

    // MARK: - Name and record

    /// Gives the part a name by which a later run finds it, with a record that vouches for no byte
    /// yet.
    ///
    /// What an earlier run has left under that name is replaced if nobody else writes it; what is
    /// not ours is left alone, and this part then has no name.
    func keep(_ traits: RequestTraits, bootIdentifier: String) {
        let salt = PartialRecord.makeSalt()
        guard let names, let validator, case .url(let source) = source,
            state.withLock({ !$0.isKept && !$0.isOver }),
            let requestDigest = traits.digest(salt),
            let sourceDigest = PartialRecord.digest(of: source, salt)
        else { return }
        do throws(SystemError) {
            try Self.makeRoom(for: names, in: folder)
            let record = PartialRecord(
                url: url,
                salt: salt,
                requestDigest: requestDigest,
                sourceDigest: sourceDigest,
                validator: validator,
                total: total,
                inode: try file.inode,
                tenure: try Self.tenure(bootIdentifier, of: file)
            )
            var recordFile = PartialRecordFile()
            // First: a part without a record would be nobody's.
            try replace(by: record, &recordFile, isDurable: false)
            try file.keep(as: names.part)
            // Another run may have taken it for one that was left alone, before there was a part.
            if !folder.contains(names.record) {
                try replace(by: record, &recordFile, isDurable: false)
            }
            let written = Writing(record: record, file: recordFile)
            writing.withLock { $0 = written }
            state.withLock { $0.isKept = true }
        } catch {
            // The download goes on as one that nobody can go on with.
            return
        }
    }

    /// Notes what is there of the file in the record; for a thread that may wait for the disk.
    ///
    /// A part whose beginning is not what the record says, or that could not be synced, is given
    /// up.
    ///
    /// - Parameters:
    ///   - length: How much is there; of all bytes the last one is left out, which is asked for
    ///     again.
    ///   - reach: What it is to survive.
    ///   - isWorthwhile: Asked from time to time while what earlier runs have left is compared with
    ///     the record, which goes on at the next checkpoint.
    func checkpoint(
        at length: Int64,
        _ reach: PartialCheckpoint.Reach,
        while isWorthwhile: @Sendable () -> Bool = { true }
    ) {
        var next: (length: Int64, reach: PartialCheckpoint.Reach)? = (length, reach)
        while let (length, reach) = next {
            guard beginCheckpoint(length, reach) else { return }
            do throws(SystemError) {
                try vouch(upTo: min(length, total - 1), reach)
                try prefix.withLock { prefix throws(SystemError) in
                    try prefix.compare(file, atMost: PrefixDigest.lookLength, while: isWorthwhile)
                }
            } catch {
                // The record of before still holds.
            }
            let isSpoilt = prefix.withLock { $0.isCorrupt } || file.hasFailedSync
            next = state.withLock { state in
                state.isBusy = false
                if isSpoilt { state.isSpoilt = true }
                defer { state.next = nil }
                return state.next
            }
            if isSpoilt {
                discard()
                return
            }
        }
    }

    /// Whether nobody else is at it; otherwise that one does this checkpoint as well.
    private func beginCheckpoint(_ length: Int64, _ reach: PartialCheckpoint.Reach) -> Bool {
        state.withLock { state in
            state.isQueued = false
            guard state.isKept, !state.isOver else { return false }
            guard state.isBusy else {
                state.isBusy = true
                return true
            }
            let other = state.next ?? (length, reach)
            state.next = (max(other.length, length), max(other.reach, reach))
            return false
        }
    }

    /// Hashes what is there of the file, syncs it if it is to survive a power loss, and notes it.
    private func vouch(
        upTo length: Int64,
        _ reach: PartialCheckpoint.Reach
    ) throws(SystemError) {
        let digest = try prefix.withLock { prefix throws(SystemError) in
            try prefix.extend(to: length, of: file)
        }
        guard let digest else { return }
        if reach == .powerLoss { try file.syncContent() }
        try note(.init(length: length, digest: digest), reach)
    }

    /// Writes the record; what is not synced is added to it, so that a power loss leaves what is.
    private func note(
        _ checkpoint: PartialRecord.Checkpoint,
        _ reach: PartialCheckpoint.Reach
    ) throws(SystemError) {
        try writing.withLock { writing throws(SystemError) in
            guard var record = writing.record,
                checkpoint.length > record.vouchedLength
                    || reach != .process && checkpoint != record.synced
            else { return }
            record.checkpoints = record.checkpoints.prefix(earlierCount) + [checkpoint]
            if reach != .process { record.synced = checkpoint }
            try write(record, &writing.file, isDurable: reach == .powerLoss)
            writing.record = record
        }
    }

    /// Whether a checkpoint has found that the beginning has changed, or a sync has failed: nobody
    /// is to go on with it.
    ///
    /// Waits for no disk: what a sync that is under way will say is not known yet.
    var isSpoilt: Bool { state.withLock { $0.isSpoilt } }

    /// The same, and whether any other sync of the file has failed; waits for one that is under
    /// way.
    var isOfNoUse: Bool { isSpoilt || file.hasFailedSync }

    /// Whether it is time to hand another checkpoint over: the last one is no longer waiting.
    func mayQueueCheckpoint() -> Bool {
        state.withLock { state in
            guard state.isKept, !state.isQueued else { return false }
            state.isQueued = true
            return true
        }
    }

    /// Whether it has a name by which a later run finds it.
    var isKept: Bool { state.withLock { $0.isKept } }

    /// Whether what earlier runs have left is what the record says; reads it.
    func verify() throws(SystemError) -> Bool {
        try prefix.withLock { prefix throws(SystemError) in
            try prefix.compare(file)
            return !prefix.isCorrupt
        }
    }

    /// The file has its final name: there is nothing to go on with.
    func didPublish() {
        if end(), let names { folder.remove(names.record) }
    }

    /// Gives up what is there; from any thread.
    func discard() {
        guard end(), let names else { return }
        file.remove(keptName: names.part)
        folder.remove(names.record)
    }

    /// Whether there was a name and a record.
    private func end() -> Bool {
        state.withLock { state in
            state.isOver = true
            state.isKept = false
        }
        // What is being written is written before it is removed.
        return writing.withLock { writing in
            defer { writing.record = nil }
            return writing.record != nil
        }
    }

    private func write(
        _ record: PartialRecord,
        _ recordFile: inout PartialRecordFile,
        isDurable: Bool
    ) throws(SystemError) {
        let (name, text) = try written(record)
        if !isDurable, recordFile.append(text, to: name, in: folder) { return }
        try recordFile.replace(by: text, name, in: folder, isDurable: isDurable)
    }

    private func replace(
        by record: PartialRecord,
        _ recordFile: inout PartialRecordFile,
        isDurable: Bool
    ) throws(SystemError) {
        let (name, text) = try written(record)
        try recordFile.replace(by: text, name, in: folder, isDurable: isDurable)
    }

    /// The record's name and its text.
    private func written(
        _ record: PartialRecord
    ) throws(SystemError) -> (name: String, text: [UInt8]) {
        guard let names, let text = record.text else {
            throw .notPermitted("write the record of", path, reason: "libcrypto is not there")
        }
        return (names.record, text)
    }

    // MARK: - What an earlier run has left

    /// What lies beside a destination under the name of a record.
    private enum Beside {
        case nothing
        /// nil for one of another version, and for one that a crash has torn or emptied.
        case own(PartialRecord?, PartialRecordFile)
        case foreign
    }

    /// What an earlier run has left of a file.
    ///
    /// What is behind the recorded length is dropped: nobody vouches for it. What was not synced is
    /// recorded, too, and counts as long as the kernel that has taken it runs, and the file system
    /// stays mounted: nothing but the end of the process can then have come between. What is ours
    /// and of no use is removed.
    ///
    /// - Parameters:
    ///   - names: Those of the part and of its record.
    ///   - destination: The file.
    ///   - urls: Those of which a part may be.
    ///   - traits: Of the request that is to go on with it.
    ///   - bootIdentifier: Of this start of the machine; empty where it cannot be told.
    /// - Returns: The part; nil when there is nothing that could be gone on with.
    static func find(
        _ names: PartialNames,
        of destination: TaskSpec.Destination,
        urls: [String],
        traits: RequestTraits,
        bootIdentifier: String
    ) -> PartialDownload? {
        guard let folder = try? Folder(path: destination.folder, create: false) else { return nil }
        do throws(SystemError) {
            // First the lock: before it is ours, the record may change.
            let file = try OutputFile(kept: names.part, in: folder, name: destination.name)
            guard case .own(let known, let recordFile) = look(at: names, in: folder) else {
                return nil
            }
            guard var record = known, urls.contains(where: record.url.hasSameBytes),
                record.requestDigest == traits.digest(record.salt)
            else {
                file.remove(keptName: names.part)
                folder.remove(names.record)
                return nil
            }
            let tenure = try Self.tenure(bootIdentifier, of: file)
            let isRestarted = tenure.isEmpty || record.tenure != tenure
            record.checkpoints = record.vouched(isRestarted: isRestarted)
            guard record.vouchedLength > 0, try record.isOf(file) else {
                file.remove(keptName: names.part)
                folder.remove(names.record)
                return nil
            }
            try file.restrict()
            try file.truncate(to: record.vouchedLength)
            // What is written behind it from now on is known to this kernel; the first note says
            // so.
            record.tenure = tenure
            return PartialDownload(
                file: file,
                folder: folder,
                path: destination.path,
                url: record.url,
                source: .digest(record.sourceDigest, salt: record.salt),
                validator: record.validator,
                total: record.total,
                names: names,
                record: record,
                recordFile: recordFile
            )
        } catch {
            // Its file was published, and the process has ended before it could remove the record.
            if error.isMissing, case .own(let record, _) = look(at: names, in: folder) {
                removeRecord(record, names, in: folder)
            }
            return nil
        }
    }

    /// Removes a record that is alone; when its part gets its name meanwhile, it is put back.
    private static func removeRecord(
        _ record: PartialRecord?,
        _ names: PartialNames,
        in folder: Folder
    ) {
        folder.remove(names.record)
        guard folder.contains(names.part), let text = record?.text else { return }
        try? OutputFile.replacePrivate(names.record, in: folder, with: text.span, isDurable: false)
    }

    /// Removes what an earlier run has left, if its record says that it is ours and nobody writes
    /// it.
    private static func makeRoom(
        for names: PartialNames,
        in folder: Folder
    ) throws(SystemError) {
        let hasPart = folder.contains(names.part)
        switch look(at: names, in: folder) {
        case .nothing where !hasPart: return
        case .own:
            guard hasPart else { return }
            let file = try OutputFile(kept: names.part, in: folder, name: names.part)
            file.remove(keptName: names.part)
        case .nothing, .foreign:
            throw .notPermitted("replace", folder.path(of: names.part), reason: "it is not ours")
        }
    }

    /// Looks at the record: a file of ours that nobody else may read.
    private static func look(at names: PartialNames, in folder: Folder) -> Beside {
        do throws(SystemError) {
            let file = try InputFile(path: folder.path(of: names.record))
            guard file.exposure == nil, file.identity.size <= SealedLine.maximumSize else {
                return .foreign
            }
            let text = try file.readPrefix(limit: SealedLine.maximumSize)
            // A file system that was cut may have lost what was in it, or the end of it.
            let last = SealedLine.lastValue(in: text)
            return .own(
                last.flatMap { PartialRecord($0.value) },
                PartialRecordFile(size: text.count, end: last?.end ?? 0)
            )
        } catch {
            return error.isMissing ? .nothing : .foreign
        }
    }

    /// Tells how long the kernel knows what was written to a file; empty where that cannot be told.
    private static func tenure(
        _ bootIdentifier: String,
        of file: OutputFile
    ) throws(SystemError) -> String {
        bootIdentifier.isEmpty ? "" : "\(bootIdentifier) \(try file.mount)"
    }
}

extension PartialRecord {
    /// Whether a part is the file that it tells of, and nobody else can have written it.
    fileprivate func isOf(_ file: OutputFile) throws(SystemError) -> Bool {
        let isPrivate = try !file.isWritableByOthers
        let isSame = try file.inode == inode
        return isPrivate && isSame && file.size <= total && file.size >= vouchedLength
    }
}
