internal import CurlKit
internal import SystemKit
internal import TransferModel

/// Keeps the records by which later runs resume uploads, one file for each upload, readable by its
/// owner only.
///
/// One process at a time holds the records of a job; another process that runs meanwhile keeps and
/// finds none. Used by all engine threads; only `flush` waits for the disk.
package final class UploadStore: Sendable {
    private static let ending = ".upload"
    private static let lockName = ".lock"
    /// A record that was not used for this long is removed: its server has most likely forgotten
    /// the upload.
    package static let longestKept = Duration.seconds(30 * 24 * 3600)

    private struct State {
        /// nil until it is known whether this process holds the records.
        var isOurs: Bool?
        var lock: FileLock?
        var folder: Folder?
        /// The names of the existing records, including those of earlier runs; nil until the folder
        /// was listed.
        var names: Set<String>?
        /// The names of the records that are on the disk.
        var written: Set<String> = []
        /// Why the records cannot be listed.
        var fault: SystemError?
        /// Why it is unknown whether another process holds the records.
        var lockFault: SystemError?
        /// The names of the records that a task asked for.
        var asked: Set<String> = []
        /// The records to write, by name.
        var pending: [String: [UInt8]] = [:]
    }

    private let path: String
    private let state = Lock(State())
    /// Held during each write, so that records are written in order.
    ///
    /// A flag, because the thread sanitizer takes an empty value for a part of the lock.
    private let writing = Lock(false)

    /// The records of a job.
    ///
    /// `folder` is the path of their own folder, which is created for the first record.
    package init(folder: String) {
        path = folder
    }

    /// The upload that an earlier run left for a task; nil when there is nothing to resume.
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

    /// Why the upload that an earlier run may have left for a task cannot be determined; nil when
    /// there is none.
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
            // The run that held the records may have ended meanwhile.
            guard PathOccupant(at: path + "/" + name) != .nothing else {
                state.names?.remove(name)
                return nil
            }
            return .damaged(path + "/" + name)
        }
    }

    /// Whether an earlier run left an upload of a task that can be resumed.
    package func holds(_ id: String) -> Bool { find(id) != nil }

    /// The uploads that earlier runs left for some tasks or for all; none while another process
    /// holds the records.
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

    /// Submits a record for the next `flush`; false when it cannot be kept.
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

    /// Removes a record, if this process holds it.
    func forget(named name: String) {
        state.withLock { state in
            guard state.isOurs == true else { return }
            guard state.names?.remove(name) != nil else { return }
            state.pending[name] = nil
            state.written.remove(name)
            state.folder?.remove(name)
        }
    }

    /// Removes the records that no task asked for and that no run used for `longestKept`.
    ///
    /// Call it at the end of a run that reached every task of the job.
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

    /// Writes all submitted records; returns whether the record of a task is on the disk.
    func isWritten(_ id: String) -> Bool {
        flush()
        return state.withLock { $0.written.contains(Self.name(of: id)) }
    }

    /// Writes the submitted records so that they survive a power loss.
    func flush() {
        writing.withLock { _ in
            let (pending, folder) = state.withLock { state in
                defer { state.pending = [:] }
                return (state.pending, state.folder)
            }
            guard let folder, !pending.isEmpty else { return }
            var written: Set<String> = []
            for (name, text) in pending {
                // Without its record the upload continues, but no other run can resume it.
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

    /// Takes the records for this process until its end; false when another process holds them.
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

    /// The name of a task's record, which does not reveal the task.
    private static func name(of id: String) -> String {
        (MessageDigest.sha256(of: Array(id.utf8)) ?? "").prefix(32) + ending
    }

    /// Reads a record; nil when other users may have written it, and when it is incomplete.
    private static func read(_ path: String) -> PartialUpload? {
        guard let file = try? InputFile(path: path), file.exposure == nil,
            file.identity.size <= SealedLine.maximumSize,
            let text = try? file.readPrefix(limit: SealedLine.maximumSize)
        else { return nil }
        return SealedLine.value(in: text).flatMap { PartialUpload($0) }
    }
}
