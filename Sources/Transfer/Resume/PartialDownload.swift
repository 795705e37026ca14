internal import SystemKit
internal import TransferModel

/// What there is of a body whose transfer has been cut, and what it takes to go on with it.
///
/// Goes from one attempt to the next, and by its name and its record to the next run. One attempt writes to its file at
/// a time; the record is written by other threads meanwhile.
package final class PartialDownload: Sendable {
    /// What is known of the part's name and record.
    private struct Naming {
        /// nil while it has no name that stays.
        var record: PartialRecord?
        /// Whether it is published or given up: nothing is written any more.
        var isOver = false
        /// Whether a checkpoint is under way.
        var isBusy = false
    }

    let file: OutputFile
    let folder: Folder
    /// The absolute path that the whole file is to have.
    let path: String
    /// The URL that was asked for it, before redirects.
    let url: String
    /// nil when the server of that URL has none: then only a checksum lets a mirror go on.
    let validator: ResumeValidator?
    /// The length of the whole, at least 1.
    let total: Int64
    /// nil when the name leaves no room for another one.
    private let names: PartialNames?
    private let naming: Lock<Naming>
    private let prefix: Lock<PrefixDigest>

    /// A part of this run, or of an earlier one that has left it with a record.
    init(
        file: OutputFile,
        folder: Folder,
        path: String,
        url: String,
        validator: ResumeValidator?,
        total: Int64,
        names: PartialNames?,
        record: PartialRecord? = nil
    ) {
        self.file = file
        self.folder = folder
        self.path = path
        self.url = url
        self.validator = validator
        self.total = total
        self.names = names
        naming = Lock(Naming(record: record))
        prefix = Lock(PrefixDigest(expecting: record?.checkpoint))
    }

    /// How many bytes are there.
    package var size: Int64 { file.size }

    /// What a URL is asked for to go on; nil when it has to be asked for everything.
    ///
    /// Another URL than the one before may go on only when the file has a checksum, which shows whether both have the
    /// same.
    func offer(to url: String, hasChecksum: Bool) -> ResumeOffer? {
        guard size > 0, size <= total else { return nil }
        let isSameURL = isOf(url)
        guard isSameURL ? validator != nil : hasChecksum else { return nil }
        // Of a part that is whole the last byte is asked for again: so the validator is looked at, and there is a range
        // that every server can satisfy.
        return ResumeOffer(
            offset: min(size, total - 1),
            total: total,
            validator: isSameURL ? validator : nil
        )
    }

    /// Whether it is that URL that was asked for it, not a mirror of it.
    func isOf(_ url: String) -> Bool { url.hasSameBytes(as: self.url) }

    // MARK: - Name and record

    /// Gives the part a name by which a later run finds it, with a record that vouches for no byte yet.
    ///
    /// What an earlier run has left under that name is replaced if nobody else writes it; what is not ours is left
    /// alone, and this part then has no name.
    func keep(requestDigest: String, bootIdentifier: String) {
        guard let names, let validator, naming.withLock({ $0.record == nil && !$0.isOver }) else {
            return
        }
        do throws(SystemError) {
            if folder.contains(names.part) { try Self.removeStale(names, in: folder) }
            let record = PartialRecord(
                url: url,
                requestDigest: requestDigest,
                validator: validator,
                total: total,
                inode: try file.inode,
                bootIdentifier: bootIdentifier
            )
            // First: a part without a record would be nobody's.
            try write(record, isDurable: false)
            try file.keep(as: names.part)
            naming.withLock { $0.record = record }
        } catch {
            // The download goes on as one that nobody can go on with.
            return
        }
    }

    /// Syncs what is there of the file and notes it in the record; for a thread that may wait for the disk.
    ///
    /// - Parameters:
    ///   - length: How much is there.
    ///   - isDurable: Whether it is to survive a power loss; otherwise it survives the process.
    func checkpoint(at length: Int64, isDurable: Bool) {
        let isWanted = naming.withLock { naming in
            guard naming.record != nil, !naming.isOver, !naming.isBusy else { return false }
            naming.isBusy = true
            return true
        }
        guard isWanted else { return }
        do throws(SystemError) {
            let digest = try prefix.withLock { prefix throws(SystemError) in
                try prefix.extend(to: length, of: file)
            }
            if let digest {
                if isDurable { try file.syncContent() }
                try note(.init(length: length, digest: digest), isDurable: isDurable)
            }
        } catch {
            // The record of before still holds.
        }
        naming.withLock { $0.isBusy = false }
    }

    private func note(
        _ checkpoint: PartialRecord.Checkpoint,
        isDurable: Bool
    ) throws(SystemError) {
        try naming.withLock { naming throws(SystemError) in
            guard !naming.isOver, var record = naming.record,
                checkpoint.length > record.checkpoint.length
            else { return }
            record.checkpoint = checkpoint
            try write(record, isDurable: isDurable)
            naming.record = record
        }
    }

    /// Whether it has a name by which a later run finds it.
    var isKept: Bool { naming.withLock { $0.record != nil } }

    /// Whether the beginning is what the record says; reads it.
    func verify() throws(SystemError) -> Bool {
        try prefix.withLock { prefix throws(SystemError) in
            if prefix.isUnverified { _ = try prefix.extend(to: size, of: file) }
            return !prefix.isCorrupt
        }
    }

    /// The file has its final name: there is nothing to go on with.
    func didPublish() {
        if end(), let names { folder.remove(names.record) }
    }

    /// Gives up what is there.
    func discard() {
        guard end(), let names else { return }
        file.removeKept()
        folder.remove(names.record)
    }

    /// Whether there was a name and a record.
    private func end() -> Bool {
        naming.withLock { naming in
            naming.isOver = true
            defer { naming.record = nil }
            return naming.record != nil
        }
    }

    private func write(_ record: PartialRecord, isDurable: Bool) throws(SystemError) {
        guard let names, let text = record.text else {
            throw .notPermitted("write the record of", path, reason: "libcrypto is not there")
        }
        let output = try OutputFile(
            in: folder,
            name: names.record,
            mode: 0o600,
            keepsModeOfReplacedFile: false
        )
        try output.write(text.span)
        if isDurable { try output.sync() }
        try output.publish(replacing: true)
    }

    // MARK: - What an earlier run has left

    /// What an earlier run has left of a file; nil when there is nothing that could be gone on with.
    ///
    /// What is behind the recorded length counts as long as the kernel that has taken it runs: nothing but the end of the
    /// process can then have come between. After another start of the machine it is dropped.
    static func find(
        _ names: PartialNames,
        of destination: TaskSpec.Destination,
        url: String,
        requestDigest: String,
        bootIdentifier: String
    ) -> PartialDownload? {
        do throws(SystemError) {
            let folder = try Folder(path: destination.folder, create: false)
            guard let record = try record(names, in: folder), record.url.hasSameBytes(as: url),
                record.requestDigest == requestDigest
            else { return nil }
            let file = try OutputFile(kept: names.part, in: folder, name: destination.name)
            guard try file.inode == record.inode, file.size <= record.total,
                file.size >= record.checkpoint.length
            else { return nil }
            if record.bootIdentifier != bootIdentifier {
                try file.truncate(to: record.checkpoint.length)
            }
            return PartialDownload(
                file: file,
                folder: folder,
                path: destination.path,
                url: url,
                validator: record.validator,
                total: record.total,
                names: names,
                record: record
            )
        } catch {
            return nil
        }
    }

    /// Removes a part that is not gone on with, if its record says that it is ours and nobody writes it.
    private static func removeStale(
        _ names: PartialNames,
        in folder: Folder
    ) throws(SystemError) {
        let file = try OutputFile(kept: names.part, in: folder, name: names.part)
        guard try record(names, in: folder)?.inode == file.inode else {
            throw .notPermitted("replace", folder.path(of: names.part), reason: "it has no record")
        }
        file.removeKept()
    }

    /// The record; nil when there is none that is whole.
    private static func record(
        _ names: PartialNames,
        in folder: Folder
    ) throws(SystemError) -> PartialRecord? {
        let file = try InputFile(path: folder.path(of: names.record))
        guard file.exposure == nil, file.identity.size <= PartialRecord.maximumSize else {
            return nil
        }
        return PartialRecord(try file.readPrefix(limit: PartialRecord.maximumSize))
    }
}
