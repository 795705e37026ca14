internal import SystemKit
package import TransferModel

/// Keeps the idempotency keys of a job's orders over its runs, in a file of the job's own.
///
/// The keys' seed is on the disk before `init` returns, so that whoever is told a key can be told it again; what has come
/// of the orders is added once, by `end`. A run that does not get so far has not ended its round. One process at a time
/// may have it: the caller holds the job's lock.
package final class KeyJournal: RunEventSink {
    /// Why there can be no keys, in words.
    package struct Fault: Error, Sendable, Hashable {
        package var message: String
    }

    /// What earlier runs have left.
    package enum Past: Sendable, Hashable {
        /// Nothing that is still open.
        case none
        /// A round that goes on, and when it began.
        case round(Timestamp)
        /// A file that is no journal, whose keys are lost.
        case unreadable
    }

    package let past: Past
    private let round: KeyRound
    private let file: AppendFile
    private let chosen: [String]
    private var tally: OrderTally

    /// Longer files are none of ours, bytes.
    private static let maximumSize = 1 << 29

    /// Goes on with the round of the job, or begins one.
    ///
    /// - Parameters:
    ///   - path: The folder, made with its parents; readable by its owner alone.
    ///   - name: The file's name, without a slash.
    ///   - chosen: The tasks that were chosen for the run, none for all.
    ///   - date: The present.
    ///   - seed: What the keys of a new round are made from: 32 random bytes.
    /// - Throws: `Fault` when the file cannot be read or written, others may have written it, or a later version of this
    ///   program has.
    package init(
        in path: String,
        name: String,
        chosen: [String],
        at date: Timestamp,
        seed: [UInt8]
    ) throws(Fault) {
        do throws(SystemError) {
            let folder = try Folder(path: path, create: true, mode: 0o700)
            let bytes = try Self.read(path + "/" + name)
            (past, round) = try Self.round(
                in: bytes,
                of: path + "/" + name,
                else: KeyRound(seed: seed, at: date)
            )
            // One entry and no torn tail: a journal grows by an entry a run and is cut to one by the next.
            let text = JournalText.header + JournalText.bytes(of: round.during(chosen).entry)
            if text != bytes { try Self.publish(text, as: name, in: folder) }
            file = try AppendFile(in: folder, name: name)
        } catch {
            throw Fault(message: error.message)
        }
        self.chosen = chosen
        tally = OrderTally(countsAnswered: !chosen.isEmpty)
    }

    /// What the keys of this run are made from.
    package var seed: [UInt8] { round.seed }

    /// Whether the server has refused an order for good under this key.
    package func isSpent(_ key: String) -> Bool { round.isSpent(key) }

    package func receive(_ event: RunEvent) {
        if case .taskFinished(let record) = event { tally.add(record) }
    }

    /// Writes down what has come of the orders, once everybody else knows it; to be called once.
    ///
    /// - Throws: `Fault` when that is not on the disk: the next run then goes on with this round.
    package func end() throws(Fault) {
        let next = round.ended(tally, chosen: chosen)
        do throws(SystemError) {
            try file.append(JournalText.bytes(of: next?.entry ?? KeyRound.end))
            try file.sync()
        } catch {
            throw Fault(message: error.message)
        }
    }

    // MARK: The file

    /// Its bytes; none when there is no file.
    private static func read(_ path: String) throws(SystemError) -> [UInt8] {
        do throws(SystemError) {
            let file = try InputFile(path: path)
            guard file.exposure == nil else {
                throw .notPermitted("read", path, reason: "others may have written it")
            }
            return try file.readPrefix(limit: maximumSize)
        } catch {
            if error.isMissing { return [] }
            throw error
        }
    }

    /// The round that is under way, or the new one.
    private static func round(
        in bytes: [UInt8],
        of path: String,
        else new: KeyRound
    ) throws(SystemError) -> (Past, KeyRound) {
        do throws(JournalText.Fault) {
            let text = try JournalText(bytes)
            guard let round = KeyRound(text.entries) else {
                // Something was there, and its first entry is not whole: that is more than a cut end.
                return (text.entries.isEmpty && text.hasTornTail ? .unreadable : .none, new)
            }
            return (.round(round.beginDate), round)
        } catch {
            switch error {
            case .notAJournal: return (.unreadable, new)
            case .newer:
                throw .notPermitted(
                    "read",
                    path,
                    reason: "a later version of runner has written it"
                )
            }
        }
    }

    private static func publish(
        _ text: [UInt8],
        as name: String,
        in folder: Folder
    ) throws(SystemError) {
        let file = try OutputFile(
            in: folder,
            name: name,
            mode: 0o600,
            keepsModeOfReplacedFile: false
        )
        try file.write(text.span)
        try file.sync()
        try file.publish(replacing: true)
        try folder.sync()
    }
}
