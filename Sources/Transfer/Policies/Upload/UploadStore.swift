internal import CurlKit
internal import SystemKit
internal import TransferModel

/// Keeps for later runs what they need to go on with uploads: a record for each, readable by its
/// owner alone.
///
/// One process at a time has the records of a job; another one that runs meanwhile keeps none and
/// finds none. For all of the engine's threads; only `flush` waits for the disk.
package final class UploadStore: Sendable {
    private static let ending = ".upload"
    private static let lockName = ".lock"
    /// Who has not gone on with an upload for so long does not come back, and its server has most
    /// likely forgotten it.
    package static let longestKept = Duration.seconds(30 * 24 * 3600)

    private struct State {
        /// nil until it is known whether the records are ours.
        var isOurs: Bool?
        var lock: FileLock?
        var folder: Folder?
        /// Names of records that there are, those of earlier runs among them; nil until somebody
        /// has looked.
        var names: Set<String>?
        /// Those of records that are on the disk.
        var written: Set<String> = []
        /// Why nobody knows what there is.
        var fault: SystemError?
        /// Why it is not known whether the records are ours.
        var lockFault: SystemError?
        /// Those that somebody has asked for.
        var asked: Set<String> = []
        /// What is to be written.
        var pending: [String: [UInt8]] = [:]
    }

    private let path: String
    private let state = Lock(State())
    /// Held while something is written, so that records are written in their order.
    private let writing = Lock(())

    /// The records of a job.
    ///
    /// `folder` is the path of a folder of its own, which is made when there is something to keep.
    package init(folder: String) {
        path = folder
    }

    /// What an earlier run has left of a task's upload; nil when there is nothing to go on with.
    func find(_ id: String) -> PartialUpload? {
        let name = Self.name(of: id)
        let mayLook = state.withLock { state in
            look(&state)
            guard state.names?.contains(name) == true else { return false }
            state.asked.insert(name)
            return take(&state, create: false)
        }
        guard mayLook, let partial = Self.read(path + "/" + name) else { return nil }
        state.withLock { _ = $0.written.insert(name) }
        return partial
    }

    /// Why nobody can tell what an earlier run has left of a task's upload of which nothing is
    /// found; nil when there is nothing.
    func obstacle(to id: String) -> UploadObstacle? {
        let name = Self.name(of: id)
        return state.withLock { state in
            look(&state)
            if let fault = state.fault { return .unreadable(fault) }
            guard state.names?.contains(name) == true, state.pending[name] == nil else {
                return nil
            }
            guard take(&state, create: false) else {
                return state.lockFault.map { .unreadable($0) } ?? .elsewhere
            }
            // The run that had it may have ended meanwhile.
            guard PathOccupant(at: path + "/" + name) != .nothing else {
                state.names?.remove(name)
                return nil
            }
            return .damaged(path + "/" + name)
        }
    }

    /// Whether an earlier run has left something of a task's upload to go on with.
    package func holds(_ id: String) -> Bool { find(id) != nil }

    /// What earlier runs have left of the uploads of some tasks, or of all; none while another
    /// process has the records.
    func findAll(of ids: [String]?) -> [(name: String, partial: PartialUpload)] {
        let wanted = ids.map { Set($0.map(Self.name)) }
        let names = state.withLock { state in
            look(&state)
            let names = (state.names ?? []).filter { wanted?.contains($0) ?? true }
            return !names.isEmpty && take(&state, create: false) ? names : []
        }
        return names.sorted().compactMap { name in
            Self.read(path + "/" + name).map { (name, $0) }
        }
    }

    /// Has a record written by the next `flush`; false when it cannot be kept.
    func keep(_ partial: PartialUpload, of id: String) -> Bool {
        guard let text = partial.text else { return false }
        let name = Self.name(of: id)
        return state.withLock { state in
            look(&state)
            guard state.fault == nil, take(&state, create: true) else { return false }
            state.names?.insert(name)
            state.pending[name] = text
            return true
        }
    }

    /// Removes the record of a task, if there is one: its upload has ended.
    func forget(_ id: String) {
        forget(named: Self.name(of: id))
    }

    /// Removes a record, if it is ours.
    func forget(named name: String) {
        state.withLock { state in
            guard state.isOurs == true else { return }
            guard state.names?.remove(name) != nil else { return }
            state.pending[name] = nil
            state.written.remove(name)
            state.folder?.remove(name)
        }
    }

    /// Removes the records of uploads that nobody has asked for and that nobody has gone on with
    /// for `longestKept`.
    ///
    /// For the end of a run that has come to every task of the job.
    package func sweep() {
        let names = state.withLock { state in
            look(&state)
            let names = (state.names ?? []).subtracting(state.asked)
            return !names.isEmpty && take(&state, create: false) ? names : []
        }
        let end = Clock.wallNanoseconds() - Self.longestKept.nanoseconds
        for name in names {
            guard let file = try? InputFile(path: path + "/" + name),
                file.identity.modificationNanoseconds < end
            else { continue }
            forget(named: name)
        }
    }

    /// Whether the record of a task is on the disk; waits for that.
    func isWritten(_ id: String) -> Bool {
        flush()
        return state.withLock { $0.written.contains(Self.name(of: id)) }
    }

    /// Writes what is to be kept, and has it survive a power loss.
    func flush() {
        writing.withLock { _ in
            let (pending, folder) = state.withLock { state in
                defer { state.pending = [:] }
                return (state.pending, state.folder)
            }
            guard let folder, !pending.isEmpty else { return }
            var written: Set<String> = []
            for (name, text) in pending {
                // Without it the upload goes on as one that no other run goes on with.
                let isWritten: Void? = try? OutputFile.replacePrivate(
                    name,
                    in: folder,
                    with: text.span,
                    isDurable: true
                )
                if isWritten != nil { written.insert(name) }
            }
            if (try? folder.sync()) == nil { written = [] }
            state.withLock { state in
                for name in pending.keys {
                    guard state.names?.contains(name) == true else {
                        folder.remove(name)
                        continue
                    }
                    if written.contains(name) { state.written.insert(name) }
                    if !state.written.contains(name) { state.names?.remove(name) }
                }
            }
        }
    }

    private func look(_ state: inout State) {
        guard state.names == nil else { return }
        do throws(SystemError) {
            state.names = Set(try Folder.names(in: path, endingWith: Self.ending) ?? [])
        } catch {
            state.fault = error
            state.names = []
        }
    }

    /// Whether the records are this process's, from now on until it ends.
    private func take(_ state: inout State, create: Bool) -> Bool {
        if let isOurs = state.isOurs { return isOurs }
        do throws(SystemError) {
            let folder = try Folder(path: path, create: create, mode: 0o700, isDurable: true)
            let lock = try FileLock(in: folder, name: Self.lockName)
            let isOurs = try lock.take()
            state.isOurs = isOurs
            state.lock = lock
            state.folder = folder
            return isOurs
        } catch {
            state.isOurs = false
            state.lockFault = error
            return false
        }
    }

    // MARK: Records

    /// Says nothing of the task.
    private static func name(of id: String) -> String {
        (MessageDigest.sha256(of: Array(id.utf8)) ?? "").prefix(32) + ending
    }

    /// nil for what others may have written, and for what is not whole.
    private static func read(_ path: String) -> PartialUpload? {
        guard let file = try? InputFile(path: path), file.exposure == nil,
            file.identity.size <= SealedLine.maximumSize,
            let text = try? file.readPrefix(limit: SealedLine.maximumSize)
        else { return nil }
        return SealedLine.value(in: text).flatMap { PartialUpload($0) }
    }
}
