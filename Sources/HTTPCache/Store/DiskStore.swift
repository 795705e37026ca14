package import SystemKit
package import TransferModel

/// Responses on disk, shared by all runs and processes of a user.
///
/// Each named file is complete, because it is written before it is named. Nothing is synced: after
/// a power loss, half-written files do not match their hash and are rejected. A file system error
/// turns the store off for the run.
package final class DiskStore: CacheStore {
    /// A point at which tests simulate a killed process.
    package enum Step: Sendable, Hashable, CaseIterable {
        case bodyWritten
        case bodyNamed
        case listLocked
        case listWritten
    }

    private struct State {
        /// nil until the folders exist.
        var folders: DiskFolders?
        var fault: String?
    }

    /// The result of changing a list.
    private enum Change {
        case written
        case refused
        case stopped
    }

    /// Larger bodies are not kept, bytes: a twentieth of the capacity.
    package let largestBody: Int64
    /// An absolute path.
    package let directory: String
    private let room: DiskRoom
    private let isReadOnly: Bool
    private let stopsAt: @Sendable (Step) -> Bool
    private let state = Lock(State())
    /// The changes by unsafe requests of this run.
    package let changes = OriginChanges()

    /// Larger bodies are not kept in memory, bytes.
    package var largestInMemory: Int { 64 << 10 }
    /// The largest list that is written, bytes.
    private let largestList: Int
    /// The most responses to one URL.
    private static let mostVariants = 32
    /// The space on the disk that is left free for other files, bytes.
    private static let spareRoom: Int64 = 64 << 10
    /// Uses within this time of the last noted use are ignored, nanoseconds.
    private static let useInterval: Int64 = 60_000_000_000

    /// - Parameters:
    ///   - directory: An absolute path; created when a response is stored.
    ///   - capacity: The most bytes that all files together may have.
    ///   - isReadOnly: Whether nothing is stored, removed or noted.
    ///   - stopsAt: Whether to behave as if the process had been killed at that step.
    package init(
        directory: String,
        capacity: Int64,
        isReadOnly: Bool = false,
        stopsAt: @escaping @Sendable (Step) -> Bool = { _ in false }
    ) {
        self.directory = directory
        self.isReadOnly = isReadOnly
        self.stopsAt = stopsAt
        room = DiskRoom(capacity: capacity)
        largestBody = capacity / URLCacheConfiguration.largestPart
        largestList = min(DiskList.largest, max(Int(clamping: largestBody), 64 << 10))
    }

    /// The first error of the file system; nil while the store works.
    package var fault: String? { state.withLock { $0.fault } }

    // MARK: - Reading

    /// Whether the folders do not exist yet.
    package var isEmpty: Bool { knownFolders == nil }

    /// Reads the list of a key, removes it when it is damaged, and notes its use.
    package func find(_ key: CacheKey) -> [StoredResponse] {
        guard let folders = folders(create: false), let list = DiskList.read(key.name, in: folders)
        else { return [] }
        if list.fault == .damaged { remove(key) }
        guard list.url == key.url else { return [] }
        if !isReadOnly { list.touch(atMostEach: Self.useInterval) }
        return list.responses
    }

    /// Opens the body's file; nil when the file is missing, of another size or not private.
    package func open(_ body: StoredResponse.Body) -> StoredBody? {
        if body.length == 0 { return .memory([]) }
        guard !body.name.isEmpty, let folders = folders(create: false),
            let file = try? InputFile(in: folders.bodies, name: body.name),
            file.exposure == nil, file.identity.size == body.length
        else { return nil }
        return .file(file)
    }

    // MARK: - Writing

    /// Creates an unnamed file, if the disk has room for the body twice.
    package func makeFile(
        for response: StoredResponse,
        _ key: CacheKey
    ) -> (file: OutputFile, name: String)? {
        let made = attempt { folders throws(SystemError) -> (file: OutputFile, name: String)? in
            // The task may write the same bytes to its own file, which must not fail for want of
            // room.
            let length = response.fields["content-length"].flatMap { Int64($0) } ?? 0
            let need = min(max(0, length), self.largestBody) + Self.spareRoom
            if let room = folders.bodies.availableBytes, room / 2 < need {
                return nil
            }
            let name = Self.newBodyName(for: response, key)
            return (try Self.file(name, in: folders.bodies), name)
        }
        return made ?? nil
    }

    /// Writes the body first and then the list that names it.
    package func add(
        _ response: StoredResponse,
        _ content: ReceivedBody,
        for key: CacheKey,
        of originTime: Timestamp
    ) -> Bool {
        guard DiskList.canHold(response) else { return false }
        let isAdded = attempt { folders throws(SystemError) -> Bool in
            guard self.room.isLeft(in: folders) else { return false }
            var response = response
            guard try self.writeBody(&response, content, key, folders) else { return false }
            return try self.list(response, key, originTime, folders)
        }
        return isAdded == true && isStillTrue(key, since: originTime)
    }

    /// Whether the origin did not change the content before the list was named; an unlisted
    /// response is not found by the change itself.
    private func isStillTrue(_ key: CacheKey, since time: Timestamp) -> Bool {
        guard changes.haveTouched(key, since: time) else { return true }
        remove(key)
        return false
    }

    /// Replaces the head in the list and keeps the body's file.
    package func update(_ response: StoredResponse, for key: CacheKey) -> Bool {
        let isUpdated = attempt { folders throws(SystemError) -> Bool in
            let change = try self.change(key, folders) { responses in
                if self.changes.haveTouched(key, since: response.requestTime) { return false }
                let index = responses.firstIndex {
                    $0.selection == response.selection && $0.body == response.body
                }
                guard let index else { return false }
                responses.remove(at: index)
                responses.append(response)
                return true
            }
            return change == .written
        }
        return isUpdated == true && isStillTrue(key, since: response.requestTime)
    }

    /// Removes the list and its bodies, even without the lock and after a fault.
    package func remove(_ key: CacheKey) {
        // Also when the store is turned off: the next run trusts it again.
        guard !isReadOnly, let folders = knownFolders, folders.lists.contains(key.name)
        else { return }
        // Remove the list even without the lock: an invalid response must not be used.
        let lock = try? folders.lock(DiskFolders.lockName(of: key.name))
        let responses = responses(under: key, in: folders)
        do throws(SystemError) {
            try folders.lists.removeForCertain(key.name)
        } catch {
            fail("\(error.message), so that the cache may still have outdated responses")
        }
        withExtendedLifetime(lock) {}
        for response in responses { removeBody(response.body, in: folders) }
    }

    /// Turns the store off for the run.
    package func didFail(_ error: SystemError) { fail(error.message) }

    /// Gives the body its name; false without room, or when the process is to stop there.
    private func writeBody(
        _ response: inout StoredResponse,
        _ content: ReceivedBody,
        _ key: CacheKey,
        _ folders: DiskFolders
    ) throws(SystemError) -> Bool {
        let file: OutputFile
        switch content {
        case .memory(let bytes):
            if bytes.isEmpty { return true }
            response.body.name = Self.newBodyName(for: response, key)
            file = try Self.file(response.body.name, in: folders.bodies)
            try file.write(bytes.span)
        case .file(let written, let name):
            response.body.name = name
            file = written
        }
        if stopsAt(.bodyWritten) { return false }
        let isNamed = try room.take(file.size, in: folders) { () throws(SystemError) in
            try file.publish(replacing: false)
        }
        return isNamed && !stopsAt(.bodyNamed)
    }

    /// Lists a response whose body has its name, or removes the body.
    private func list(
        _ response: StoredResponse,
        _ key: CacheKey,
        _ originTime: Timestamp,
        _ folders: DiskFolders
    ) throws(SystemError) -> Bool {
        do throws(SystemError) {
            let change = try change(key, folders) { responses in
                let body = response.body.name
                // Another process may have emptied the folder in between.
                guard body.isEmpty || folders.bodies.contains(body),
                    !changes.haveTouched(key, since: originTime)
                else { return false }
                responses.removeAll { $0.selection == response.selection }
                responses.append(response)
                if responses.count > Self.mostVariants { responses.removeFirst() }
                return true
            }
            if change == .refused { removeBody(response.body, in: folders) }
            return change == .written
        } catch {
            removeBody(response.body, in: folders)
            throw error
        }
    }

    /// Changes the list of a URL's responses and removes the bodies of dropped responses.
    ///
    /// - Parameters:
    ///   - key: The URL's key.
    ///   - folders: The store's folders.
    ///   - change: Returns whether there is anything to write; the last responses are kept.
    /// - Returns: Whether the list was written.
    /// - Throws: The file system's error.
    private func change(
        _ key: CacheKey,
        _ folders: DiskFolders,
        _ change: (inout [StoredResponse]) -> Bool
    ) throws(SystemError) -> Change {
        let lock = try folders.lock(DiskFolders.lockName(of: key.name))
        defer { withExtendedLifetime(lock) {} }
        if stopsAt(.listLocked) { return .stopped }
        let list = DiskList.read(key.name, in: folders)
        let old = list?.url == key.url ? list?.responses ?? [] : []
        var new = old
        guard change(&new) else { return .refused }
        var text = EntryText.make(new, url: key.url)
        while text.count > largestList, new.count > 1 {
            new.removeFirst()
            text = EntryText.make(new, url: key.url)
        }
        let grows = Int64(text.count) > list?.size ?? 0
        guard text.count <= largestList, !grows || room.isLeft(in: folders) else { return .refused }
        let file = try Self.file(key.name, in: folders.lists)
        try file.write(text.span)
        if stopsAt(.listWritten) { return .stopped }
        let isNamed = try room.take(file.size, replacing: list?.size ?? 0, in: folders) {
            () throws(SystemError) in try file.publish(replacing: true)
        }
        guard isNamed else { return .refused }
        for response in old where !new.contains(where: { $0.body.name == response.body.name }) {
            removeBody(response.body, in: folders)
        }
        return .written
    }

    private func responses(under key: CacheKey, in folders: DiskFolders) -> [StoredResponse] {
        guard let list = DiskList.read(key.name, in: folders), list.url == key.url else {
            return []
        }
        return list.responses
    }

    private func removeBody(_ body: StoredResponse.Body, in folders: DiskFolders) {
        if !body.name.isEmpty { folders.bodies.remove(body.name) }
    }

    private static func file(_ name: String, in folder: Folder) throws(SystemError) -> OutputFile {
        try OutputFile(in: folder, name: name, mode: 0o600, inheritsAccess: false)
    }

    private static func newBodyName(for response: StoredResponse, _ key: CacheKey) -> String {
        DiskFolders.newBodyName(for: key.name, uselessFrom: response.uselessFrom)
    }

    /// Waits until the excess files are removed.
    package func close() { room.close(in: knownFolders) }

    // MARK: - The folders and their faults

    /// The folders for lookups and additions; nil after a fault.
    private func folders(create: Bool) -> DiskFolders? {
        state.withLock { state in
            state.fault == nil ? Self.folders(&state, in: directory, create: create) : nil
        }
    }

    /// The folders for removal, which needs no disk space; nil when they do not exist.
    private var knownFolders: DiskFolders? {
        state.withLock { Self.folders(&$0, in: directory, create: false) }
    }

    private static func folders(
        _ state: inout State,
        in directory: String,
        create: Bool
    ) -> DiskFolders? {
        if let folders = state.folders { return folders }
        guard state.fault == nil else { return nil }
        do throws(SystemError) {
            let folders = try DiskFolders(in: directory, create: create)
            state.folders = folders
            return folders
        } catch {
            if create || !error.isMissing { state.fault = error.message }
            return nil
        }
    }

    /// Does work in the folders; a file system error turns the store off.
    private func attempt<Result>(_ body: (DiskFolders) throws(SystemError) -> Result) -> Result? {
        guard !isReadOnly, let folders = folders(create: true) else { return nil }
        do throws(SystemError) {
            return try body(folders)
        } catch {
            // A removed folder is created again the next time; a busy lock is no fault.
            if error.isMissing || !folders.bodies.isAtItsPath {
                state.withLock { $0.folders = nil }
            } else if !error.isTaken, !error.isBusy {
                fail(error.message)
            }
            return nil
        }
    }

    private func fail(_ message: String) {
        state.withLock { state in
            if state.fault == nil { state.fault = message }
        }
    }
}
