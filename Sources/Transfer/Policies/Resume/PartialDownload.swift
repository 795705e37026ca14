internal import SystemKit
internal import TransferModel

/// The received part of an interrupted download, and the facts needed to resume it.
///
/// Attempts pass it on to the next one; a later run finds it by its name and record. One attempt at
/// a time writes the file; other threads write the record meanwhile.
package final class PartialDownload: Sendable {
    /// The state for engine threads; no thread waits for the disk while it holds this lock.
    private struct State {
        /// Whether the part has a lasting name.
        var isKept: Bool
        /// Whether the part was published or given up, so that nothing more is written.
        var isOver = false
        /// Whether a note waits for its turn.
        var isQueued = false
        /// Whether a checkpoint is in progress.
        var isBusy = false
        /// The checkpoint requested meanwhile, which follows; nil without one.
        var next: (length: Int64, reach: PartialDurability)?
        /// Whether a checkpoint found that the part must not be resumed.
        var isSpoilt = false
    }

    /// The record as written; the holder of its lock may wait for the disk.
    struct Writing {
        /// nil while the part has no lasting name.
        fileprivate var record: PartialRecord?
        fileprivate var file: PartialRecordFile
    }

    /// The URL that answered, after all redirects and without the signature in its query.
    enum Source {
        case url(String)
        /// The salted digest of the URL, the only form that a record keeps.
        case digest(String, salt: String)
    }

    let file: OutputFile
    let folder: Folder
    /// The absolute path of the future complete file.
    let path: String
    /// The requested URL, before redirects.
    let url: String
    private let source: Source
    /// nil when the server gave none: then only a checksum allows resuming, from a mirror.
    let validator: ResumeValidator?
    /// The length of the complete file, at least 1.
    package let total: Int64
    /// The digest that the first response announced for the complete file; nil without one.
    let announced: Checksum?
    /// nil when the file's name is too long for a longer one.
    private let names: PartialNames?
    private let state: Lock<State>
    /// For threads that may wait for the disk; a thread that holds the lock of `state` never waits
    /// for it.
    let writing: Lock<Writing>
    private let prefix: Lock<PrefixDigest>
    /// The bytes after the first gap, and how often they were dropped.
    private let loose: Lock<(ranges: ByteRangeSet, drops: Int)>
    /// The number of stretches of the part that earlier runs left.
    private let earlierCount: Int

    /// A part of this run, or one that an earlier run left with a record.
    init(
        file: OutputFile,
        folder: Folder,
        path: String,
        url: String,
        source: Source,
        validator: ResumeValidator?,
        total: Int64,
        announced: Checksum? = nil,
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
        self.announced = announced
        self.names = names
        state = Lock(State(isKept: record != nil))
        writing = Lock(Writing(record: record, file: recordFile))
        let earlier = record?.checkpoints ?? []
        earlierCount = earlier.count
        let pieces = record?.pieces ?? []
        prefix = Lock(PrefixDigest(behind: earlier, pieces: pieces))
        loose = Lock((ByteRangeSet(pieces.map(\.range)), 0))
    }

    /// The number of bytes before the first gap.
    package var size: Int64 { file.size }

    /// The number of bytes in the part, those after gaps included.
    package var receivedCount: Int64 { size + loose.withLock { $0.ranges.count } }

    /// The bytes after the first gap that the part has.
    var looseRanges: [Range<Int64>] { loose.withLock { $0.ranges.ranges } }

    /// Notes which bytes after the first gap are written.
    func setLoose(_ ranges: [Range<Int64>]) {
        let ranges = ByteRangeSet(ranges)
        loose.withLock { $0.ranges = ranges }
    }

    /// Removes the bytes after the first gap, because one connection continues from there.
    func dropLoose() throws(SystemError) {
        guard !looseRanges.isEmpty else { return }
        loose.withLock { $0 = (ByteRangeSet(), $0.drops + 1) }
        try file.dropLoose()
    }

    /// The range to request from a URL; nil when the whole file must be requested.
    ///
    /// Another URL than the previous one may be used only when the file has a checksum, which shows
    /// whether both have the same content.
    func offer(to url: String, hasChecksum: Bool) -> ResumeOffer? {
        guard size > 0, size <= total else { return nil }
        let isSameURL = isOf(url)
        guard isSameURL ? validator != nil : hasChecksum else { return nil }
        // For a complete part the last byte is requested again: so the validator is checked, and
        // every server can satisfy the range.
        return ResumeOffer(
            offset: min(size, total - 1),
            total: total,
            validator: isSameURL ? validator : nil
        )
    }

    /// Whether that URL was requested for the part, and not a mirror's.
    func isOf(_ url: String) -> Bool { url.hasSameBytes(as: self.url) }

    /// Whether that URL answered, apart from a signature in its query.
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
    /// Replaces the part of an earlier run under that name unless another process writes it. Leaves
    /// foreign files alone; this part then has no name.
    func keep(_ traits: RequestTraits, bootIdentifier: String) {
        let salt = PartialRecord.makeSalt()
        guard let names, let validator, case .url(let source) = source,
            state.withLock({ !$0.isKept && !$0.isOver }),
            let requestDigest = traits.digest(salt),
            let sourceDigest = PartialRecord.digest(of: source, salt)
        else { return }
        var hasRecord = false
        do throws(SystemError) {
            try Self.makeRoom(for: names, in: folder)
            // Now the next run finds the part, even if this one is killed before the record.
            try file.nameTemporarily()
            let record = PartialRecord(
                url: url,
                salt: salt,
                requestDigest: requestDigest,
                sourceDigest: sourceDigest,
                validator: validator,
                total: total,
                announced: announced,
                inode: try file.inode,
                tenure: try Self.tenure(bootIdentifier, of: file)
            )
            var recordFile = PartialRecordFile()
            // The record comes first: a part without a record would belong to no download.
            try replace(by: record, &recordFile, isDurable: false)
            hasRecord = true
            try file.keep(as: names.part)
            // Another run may have removed the record as an abandoned one before there was a part.
            if !folder.contains(names.record) {
                try replace(by: record, &recordFile, isDurable: false)
            }
            let written = Writing(record: record, file: recordFile)
            writing.withLock { $0 = written }
            state.withLock { $0.isKept = true }
        } catch {
            // The download continues, but no later run can resume it.
            if hasRecord, !folder.contains(names.part) { folder.remove(names.record) }
        }
    }

    /// Notes the length of the file in the record; for a thread that may wait for the disk.
    ///
    /// Gives up a part whose beginning differs from the record, or that could not be synced.
    ///
    /// - Parameters:
    ///   - length: The length of the part. For a complete part the last byte is left out, because
    ///     it is requested again.
    ///   - reach: The events that the note must survive.
    ///   - isWorthwhile: Called from time to time while the bytes of earlier runs are compared with
    ///     the record; false postpones the rest to the next checkpoint.
    func checkpoint(
        at length: Int64,
        _ reach: PartialDurability,
        while isWorthwhile: @Sendable () -> Bool = { true }
    ) {
        var next: (length: Int64, reach: PartialDurability)? = (length, reach)
        while let (length, reach) = next {
            guard beginCheckpoint(length, reach) else { return }
            do throws(SystemError) {
                let end = min(length, total - 1)
                try vouch(upTo: end, reach)
                // Bytes of this run after pieces of earlier runs count only if the pieces are
                // right.
                if try compare(while: { isWorthwhile() && !self.hasNextCheckpoint }) {
                    try vouch(upTo: end, reach)
                }
            } catch {
                // The previous record still holds.
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

    /// Whether this thread may make the checkpoint; otherwise the thread that is making one does
    /// this one too.
    private func beginCheckpoint(_ length: Int64, _ reach: PartialDurability) -> Bool {
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

    /// Whether another checkpoint waits for the present one.
    private var hasNextCheckpoint: Bool { state.withLock { $0.isQueued || $0.next != nil } }

    /// Compares some of the bytes of earlier runs with the record; returns whether a piece after a
    /// gap was found correct.
    private func compare(while isWorthwhile: @Sendable () -> Bool) throws(SystemError) -> Bool {
        try withPrefix { prefix throws(SystemError) in
            let start = prefix.firstUnproven
            try prefix.compare(file, atMost: PrefixDigest.lookLength, while: isWorthwhile)
            return !prefix.isCorrupt && prefix.firstUnproven != start
        }
    }

    /// Calls `body` with the digests, which know no piece that was dropped.
    private func withPrefix<Result>(
        _ body: (inout sending PrefixDigest) throws(SystemError) -> sending Result
    ) throws(SystemError) -> sending Result {
        try prefix.withLock { prefix throws(SystemError) in
            prefix.forgetPieces(dropped: loose.withLock { $0.drops })
            return try body(&prefix)
        }
    }

    /// Hashes the part, syncs it if it must survive a power loss, and notes it.
    private func vouch(upTo length: Int64, _ reach: PartialDurability) throws(SystemError) {
        let (end, digest, pieces) = try withPrefix { prefix throws(SystemError) in
            let end = min(length, prefix.firstUnproven ?? length)
            let digest = try prefix.extend(to: end, of: file)
            let (unproven, ranges) = loosePieces(unproven: prefix.unprovenPieces)
            let own = ranges.isEmpty ? [] : try prefix.pieces(ranges, of: file)
            return (end, digest, unproven + own)
        }
        guard digest != nil || !pieces.isEmpty else { return }
        if reach == .powerLoss { try file.syncContent() }
        try note(digest.map { .init(length: end, digest: $0) }, pieces, reach)
    }

    /// The bytes after gaps: uncompared pieces of earlier runs that still are after gaps, and the
    /// other pieces, for which this run vouches.
    private func loosePieces(
        unproven: [PartialRecord.Piece]
    ) -> (unproven: [PartialRecord.Piece], own: [Range<Int64>]) {
        loose.withLock { loose in
            let kept = unproven.filter { loose.ranges.missing(in: $0.range).isEmpty }
            let earlier = ByteRangeSet(kept.map(\.range))
            return (kept, loose.ranges.ranges.flatMap { earlier.missing(in: $0) })
        }
    }

    /// Writes the record; appends an unsynced checkpoint, so that a power loss leaves the synced
    /// ones.
    private func note(
        _ checkpoint: PartialRecord.Checkpoint?,
        _ pieces: [PartialRecord.Piece],
        _ reach: PartialDurability
    ) throws(SystemError) {
        try writing.withLock { writing throws(SystemError) in
            guard var record = writing.record else { return }
            let last = record
            if let checkpoint {
                if checkpoint.length > record.vouchedLength {
                    record.checkpoints = record.checkpoints.prefix(earlierCount) + [checkpoint]
                }
                if reach != .process { record.synced = checkpoint }
            }
            record.setPieces(pieces)
            guard record != last else { return }
            try write(record, &writing.file, isDurable: reach == .powerLoss)
            writing.record = record
        }
    }

    /// Whether a checkpoint found that the beginning has changed, or a sync failed, so that the
    /// part must not be resumed.
    ///
    /// Does not wait for the disk: the result of a sync in progress is not known yet.
    var isSpoilt: Bool { state.withLock { $0.isSpoilt } }

    /// Like `isSpoilt`, but waits for a sync in progress and includes all failed syncs of the file.
    var isOfNoUse: Bool { isSpoilt || file.hasFailedSync }

    /// Whether another checkpoint may be submitted: the last one no longer waits.
    func mayQueueCheckpoint() -> Bool {
        state.withLock { state in
            guard state.isKept, !state.isQueued else { return false }
            state.isQueued = true
            return true
        }
    }

    /// Whether the part has a name by which a later run finds it.
    var isKept: Bool { state.withLock { $0.isKept } }

    /// Reads the bytes of earlier runs, and returns whether they match the record.
    func verify() throws(SystemError) -> Bool {
        try withPrefix { prefix throws(SystemError) in
            try prefix.compare(file)
            return !prefix.isCorrupt && prefix.firstUnproven == nil
        }
    }

    /// The file has its final name, so that nothing is left to resume.
    func didPublish() {
        if end(), let names { folder.remove(names.record) }
    }

    /// Drops the part; callable from any thread.
    func discard() {
        guard end(), let names else { return }
        file.remove(keptName: names.part)
        folder.remove(names.record)
    }

    /// Marks the part as over; returns whether it had a name and a record.
    private func end() -> Bool {
        state.withLock { state in
            state.isOver = true
            state.isKept = false
        }
        // A write in progress ends before the file is removed.
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
            throw .notPermitted("write the record of", path, reason: "libcrypto cannot be loaded")
        }
        return (names.record, text)
    }

    // MARK: - The leftovers of an earlier run

    /// The kind of the file beside a destination that has a record's name.
    private enum Beside {
        case nothing
        /// nil for a record of another version, and for one that a crash tore or emptied.
        case own(PartialRecord?, PartialRecordFile)
        case foreign
    }

    /// Finds the part of a file that an earlier run left.
    ///
    /// Bytes after the recorded length are dropped, because no record vouches for them. Unsynced
    /// bytes are recorded too. They count while the same kernel runs and the file system stays
    /// mounted: then only the end of the process can have interrupted them. Useless parts of ours
    /// are removed.
    ///
    /// - Parameters:
    ///   - names: The names of the part and its record.
    ///   - destination: The file.
    ///   - urls: The URLs whose part may be used.
    ///   - traits: The traits of the request that would resume it.
    ///   - bootIdentifier: Identifies this start of the machine; empty if unknown.
    /// - Returns: The part; nil when there is nothing to resume.
    static func find(
        _ names: PartialNames,
        of destination: TaskSpec.Destination,
        urls: [String],
        traits: RequestTraits,
        bootIdentifier: String
    ) -> PartialDownload? {
        guard let folder = try? Folder(path: destination.folder, create: false) else { return nil }
        do throws(SystemError) {
            // Take the lock first: before that, the record may change.
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
            record.settle(isRestarted: isRestarted, size: file.size)
            guard record.vouchedLength > 0, try record.isOf(file) else {
                file.remove(keptName: names.part)
                folder.remove(names.record)
                return nil
            }
            try file.restrict()
            try file.loosen(
                after: record.vouchedLength,
                upTo: record.pieces.last?.range.upperBound ?? 0
            )
            // This kernel knows the bytes that are written from now on; the first note records
            // that.
            record.tenure = tenure
            return PartialDownload(
                file: file,
                folder: folder,
                path: destination.path,
                url: record.url,
                source: .digest(record.sourceDigest, salt: record.salt),
                validator: record.validator,
                total: record.total,
                announced: record.announced,
                names: names,
                record: record,
                recordFile: recordFile
            )
        } catch {
            // The file was published, and its process ended before it could remove the record.
            if error.isMissing, case .own(let record, _) = look(at: names, in: folder) {
                removeRecord(record, names, in: folder)
            }
            return nil
        }
    }

    /// Removes the leftovers of a run that was killed while it named or published a file: a record
    /// without a part, and the name of a part that is published.
    ///
    /// - Returns: Whether the file has no record any more.
    static func removeLeftover(_ names: PartialNames, of name: String, in folder: Folder) -> Bool {
        Leftovers.removeSecondName(names.part, of: name, in: folder)
        guard !folder.contains(names.part), case .own(let record, _) = look(at: names, in: folder)
        else { return false }
        removeRecord(record, names, in: folder)
        return !folder.contains(names.record)
    }

    /// Removes a record without a part; puts it back when its part appears meanwhile.
    private static func removeRecord(
        _ record: PartialRecord?,
        _ names: PartialNames,
        in folder: Folder
    ) {
        folder.remove(names.record)
        guard folder.contains(names.part), let text = record?.text else { return }
        try? OutputFile.replacePrivate(names.record, in: folder, with: text.span, isDurable: false)
    }

    /// Removes the part of an earlier run if its record shows that it is ours and no process writes
    /// it.
    private static func makeRoom(for names: PartialNames, in folder: Folder) throws(SystemError) {
        let hasPart = folder.contains(names.part)
        switch look(at: names, in: folder) {
        case .nothing where !hasPart: return
        case .own:
            guard hasPart else { return }
            let file = try OutputFile(kept: names.part, in: folder, name: names.part)
            file.remove(keptName: names.part)
        case .nothing, .foreign:
            throw .notPermitted(
                "replace",
                folder.path(of: names.part),
                reason: "no record shows that runner wrote it"
            )
        }
    }

    /// The record of a part, if a run of this user has left a whole one.
    static func record(_ names: PartialNames, in folder: Folder) -> PartialRecord? {
        guard case .own(let record, _) = look(at: names, in: folder) else { return nil }
        return record
    }

    /// Reads the record, which must be a private file of this user.
    private static func look(at names: PartialNames, in folder: Folder) -> Beside {
        do throws(SystemError) {
            let file = try InputFile(path: folder.path(of: names.record))
            guard file.exposure == nil, file.identity.size <= SealedLine.maximumSize else {
                return .foreign
            }
            let text = try file.readPrefix(limit: SealedLine.maximumSize)
            // After a crash, the file system may have lost the content or its end.
            let last = SealedLine.lastValue(in: text)
            return .own(
                last.flatMap { PartialRecord($0.value) },
                PartialRecordFile(size: text.count, end: last?.end ?? 0)
            )
        } catch {
            return error.isMissing ? .nothing : .foreign
        }
    }

    /// Identifies the kernel and the mount that know the bytes written to a file; empty if unknown.
    private static func tenure(
        _ bootIdentifier: String,
        of file: OutputFile
    ) throws(SystemError) -> String {
        bootIdentifier.isEmpty ? "" : "\(bootIdentifier) \(try file.mount)"
    }
}

extension PartialRecord {
    /// Whether a file is the recorded part, and no other user can have written it.
    fileprivate func isOf(_ file: OutputFile) throws(SystemError) -> Bool {
        let isPrivate = try !file.isWritableByOthers
        let isSame = try file.inode == inode
        return isPrivate && isSame && file.size <= total && file.size >= vouchedLength
    }
}

/// The events that a note of a part survives.
enum PartialDurability: Int, Comparable {
    /// The end of the process.
    case process
    /// The same events as the run's files survive: without syncing, a restart of the machine
    /// that first writes everything to the disk.
    case restart
    /// A power loss.
    case powerLoss

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
