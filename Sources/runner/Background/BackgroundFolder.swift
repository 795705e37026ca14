import Journal
import SystemKit
import TransferModel

/// The folder of background sessions: for each a journal and a lock, named by its identifier.
struct BackgroundFolder {
    let path: String

    /// The most names that are examined.
    private static let mostNames = 100_000
    private static let ending = ".journal"

    /// The name of a session's journal.
    static func journalName(of identifier: String) -> String { identifier + ending }

    /// The existing identifiers, sorted.
    var identifiers: [String] {
        let names = try? Folder.names(in: path, endingWith: Self.ending, limit: Self.mostNames)
        return (names ?? []).map { String($0.dropLast(Self.ending.count)) }.sorted()
    }

    /// Rejects an unknown identifier.
    func require(_ identifier: String) throws(Exit) {
        let identifiers = identifiers
        guard !identifiers.contains(identifier) else { return }
        let known = identifiers.prefix(20).map { "`\(Self.shown($0))`" }
        throw Exit(
            .usage,
            "there is no background session `\(Self.shown(identifier))` in \(path)"
                + (known.isEmpty ? "" : "; there are \(known.joined(separator: ", "))")
        )
    }

    /// An identifier for a message.
    private static func shown(_ identifier: String) -> String {
        TerminalText.truncated(TerminalText.harmless(identifier), columns: 100)
    }

    /// The lock of a session, without taking it; creates the folder.
    ///
    /// - Throws: `Exit` when there is no folder for it.
    func lock(of identifier: String) throws(Exit) -> ProcessLock {
        do throws(SystemError) {
            let folder = try Folder(path: path, create: true, mode: 0o700, isDurable: true)
            return try ProcessLock(in: folder, name: "\(identifier).lock")
        } catch {
            throw .noState(error)
        }
    }

    /// Takes a lock; false when another process has it.
    ///
    /// - Throws: `Exit` when the file system has no locks.
    static func take(_ lock: ProcessLock) throws(Exit) -> Bool {
        do throws(SystemError) {
            return try lock.take()
        } catch {
            throw .noState(error)
        }
    }

    /// The journal of a session; nil when there is none with that identifier.
    func round(of identifier: String) throws(JournalFault) -> BackgroundRound? {
        try BackgroundJournal.read("\(path)/\(Self.journalName(of: identifier))")
    }
}

/// The mark of a suspended background session: an empty file beside its journal.
///
/// A file of its own, because a run holds the journal while it runs.
extension BackgroundFolder {
    /// The name of a session's mark.
    private static func markName(of identifier: String) -> String { identifier + ".suspended" }

    /// Whether a session is suspended; false without the folder.
    func isSuspended(_ identifier: String) -> Bool {
        guard let folder = try? Folder(path: path, create: false) else { return false }
        return folder.contains(Self.markName(of: identifier))
    }

    /// Suspends a session, which a loss of power does not undo.
    ///
    /// - Returns: False when it was suspended before.
    /// - Throws: `Exit` when the mark cannot be written.
    func suspend(_ identifier: String) throws(Exit) -> Bool {
        guard !isSuspended(identifier) else { return false }
        try Exit.environment { () throws(SystemError) in
            let folder = try Folder(path: path, create: true, mode: 0o700, isDurable: true)
            let name = Self.markName(of: identifier)
            try OutputFile.replacePrivate(name, in: folder, with: [UInt8]().span)
            try folder.sync()
        }
        return true
    }

    /// Ends the suspension of a session, which a loss of power does not undo.
    ///
    /// - Returns: False when it was not suspended.
    /// - Throws: `Exit` when the mark cannot be removed.
    func resume(_ identifier: String) throws(Exit) -> Bool {
        guard isSuspended(identifier) else { return false }
        try Exit.environment { () throws(SystemError) in
            let folder = try Folder(path: path, create: false)
            try folder.removeForCertain(Self.markName(of: identifier))
            try folder.sync()
        }
        return true
    }
}

extension StateFolder {
    /// The folder of the journals of background sessions, whether it exists or not.
    ///
    /// - Throws: `Exit` without a state folder.
    func background() throws(Exit) -> BackgroundFolder {
        guard let path = folder("background") else {
            throw Exit(
                .environment,
                "there is no state folder for background sessions: name one with --state-dir"
            )
        }
        return BackgroundFolder(path: path)
    }

    /// Takes the locks of the background sessions, which are held while the result lives.
    ///
    /// - Throws: `Exit` when another process has one of them: then no lock is taken.
    func lockBackground(_ sessions: [SessionConfiguration]) throws(Exit) -> [ProcessLock] {
        // The same order in all jobs prevents deadlocks.
        let identifiers = sessions.compactMap(\.identifier).sorted()
        guard !identifiers.isEmpty else { return [] }
        let folder = try background()
        var locks: [ProcessLock] = []
        for identifier in identifiers {
            let lock = try folder.lock(of: identifier)
            guard try BackgroundFolder.take(lock) else {
                throw .held(identifier, by: lock.holder)
            }
            locks.append(lock)
        }
        return locks
    }
}

extension Exit {
    /// An unusable place in the state folder.
    fileprivate static func noState(_ error: SystemError) -> Exit {
        Exit(.environment, "\(error.message): name another state folder with --state-dir")
    }

    /// A background session that another process is using.
    static func held(_ identifier: String, by holder: ProcessLock.Holder?) -> Exit {
        let who =
            switch holder {
            case .process(let number)?: "another run (process \(number))"
            case .unseen?: "a run on another machine or in another container"
            case nil: "another run"
            }
        return Exit(
            .locked,
            "\(who) holds the background session `\(identifier)`: nothing was done"
        )
    }
}
