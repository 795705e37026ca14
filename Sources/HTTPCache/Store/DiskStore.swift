package import SystemKit
internal import TransferModel

/// Responses on disk, shared by all runs and processes of a user.
///
/// Whatever is under a name is whole: it is written without one first. Nothing is synced; what a power loss leaves half
/// written does not match its hash, and is not believed. What the file system refuses turns the store off for the run.
package final class DiskStore: CacheStore {
    /// Where a process may be killed while it stores a response; for tests.
    package enum Step: Sendable, Hashable, CaseIterable {
        case bodyWritten
        case bodyNamed
        case listLocked
        case listWritten
    }

    private struct State {
        /// nil until there are any.
        var folders: DiskFolders?
        var fault: String?
        /// What was written and not told to other processes yet, bytes.
        var written: Int64 = 0
        /// Makes room, or has made it and was not joined yet.
        var sweeper: JoinableThread?
        var isSweeping = false
        /// Whether there was no room when others were told last.
        var isFull = false
    }

    package let largestBody: Int64
    private let directory: String
    private let capacity: Int64
    private let stopsAt: @Sendable (Step) -> Bool
    private let state = Lock(State())

    /// The largest list that is read, bytes.
    static let largestList = 4 << 20
    /// More responses to one URL are not kept.
    private static let mostVariants = 32
    /// Uses nearer to each other are not noted, nanoseconds.
    private static let useInterval: Int64 = 60_000_000_000

    /// - Parameters:
    ///   - directory: An absolute path; made when something is to be stored.
    ///   - capacity: What all files together may take, bytes.
    ///   - stopsAt: Whether the process is to behave as if it had been killed there.
    package init(
        directory: String,
        capacity: Int64,
        stopsAt: @escaping @Sendable (Step) -> Bool = { _ in false }
    ) {
        self.directory = directory
        self.capacity = capacity
        self.stopsAt = stopsAt
        largestBody = capacity / URLCacheConfiguration.largestPart
    }

    package var fault: String? { state.withLock { $0.fault } }

    // MARK: - Reading

    package var isEmpty: Bool { folders(create: false) == nil }

    package func find(_ key: CacheKey) -> [StoredResponse] {
        guard let folders = folders(create: false),
            let list = try? InputFile(in: folders.lists, name: key.name),
            list.exposure == nil,
            let text = try? list.readPrefix(limit: Self.largestList)
        else { return [] }
        guard let entry = EntryText.parse(text) else {
            remove(key)
            return []
        }
        let age = Clock.wallNanoseconds() - list.identity.modificationNanoseconds
        if age > Self.useInterval { list.touch() }
        return entry.url == key.url ? entry.responses : []
    }

    package func open(_ body: StoredResponse.Body) -> StoredBody? {
        if body.length == 0 { return .memory([]) }
        guard !body.name.isEmpty, let folders = folders(create: false),
            let file = try? InputFile(in: folders.bodies, name: body.name),
            file.identity.size == body.length
        else { return nil }
        return .file(file)
    }

    // MARK: - Writing

    package func makeFile(for key: CacheKey) -> (file: OutputFile, name: String)? {
        attempt { folders throws(SystemError) in
            let name = Self.newBodyName(for: key)
            return (try Self.file(name, in: folders.bodies), name)
        }
    }

    package func add(
        _ response: StoredResponse,
        _ content: CacheDraft.Content,
        for key: CacheKey
    ) -> Bool {
        let isAdded = attempt { folders throws(SystemError) -> Bool in
            guard self.hasRoom else { return false }
            var response = response
            guard try self.writeBody(&response, content, key, folders) else { return false }
            return try self.change(key, folders) { responses in
                responses.removeAll { $0.selection == response.selection }
                responses.append(response)
                if responses.count > Self.mostVariants { responses.removeFirst() }
                return true
            }
        }
        return isAdded ?? false
    }

    package func update(_ response: StoredResponse, for key: CacheKey) -> Bool {
        let isUpdated = attempt { folders throws(SystemError) -> Bool in
            try self.change(key, folders) { responses in
                let index = responses.firstIndex {
                    $0.selection == response.selection && $0.body == response.body
                }
                guard let index else { return false }
                responses[index] = response
                return true
            }
        }
        return isUpdated ?? false
    }

    package func remove(_ key: CacheKey) {
        guard let folders = folders(create: false), folders.lists.contains(key.name) else { return }
        // Who cannot have the lock removes the list all the same: what is wrong must not be used.
        let lock = try? folders.lock(key.name)
        let responses = responses(under: key, in: folders)
        folders.lists.remove(key.name)
        withExtendedLifetime(lock) {}
        for response in responses { removeBody(response.body, in: folders) }
    }

    /// Gives the body its name; false when the process is to stop there.
    private func writeBody(
        _ response: inout StoredResponse,
        _ content: CacheDraft.Content,
        _ key: CacheKey,
        _ folders: DiskFolders
    ) throws(SystemError) -> Bool {
        let file: OutputFile
        switch content {
        case .memory(let bytes):
            if bytes.isEmpty { return true }
            response.body.name = Self.newBodyName(for: key)
            file = try Self.file(response.body.name, in: folders.bodies)
            try file.write(bytes.span)
        case .file(let written, let name):
            response.body.name = name
            file = written
        }
        if stopsAt(.bodyWritten) { return false }
        try file.publish(replacing: false)
        note(written: file.size)
        return !stopsAt(.bodyNamed)
    }

    /// Changes the responses of a URL; what is no longer among them loses its body.
    ///
    /// - Parameters:
    ///   - key: The URL's.
    ///   - folders: Where the list is.
    ///   - change: Returns whether there is anything to write.
    /// - Returns: Whether it was written.
    /// - Throws: What the file system says.
    private func change(
        _ key: CacheKey,
        _ folders: DiskFolders,
        _ change: (inout [StoredResponse]) -> Bool
    ) throws(SystemError) -> Bool {
        let lock = try folders.lock(key.name)
        defer { withExtendedLifetime(lock) {} }
        if stopsAt(.listLocked) { return false }
        let old = responses(under: key, in: folders)
        var new = old
        guard change(&new) else { return false }
        let text = EntryText.make(new, url: key.url)
        guard text.count <= Self.largestList else { return false }
        let file = try Self.file(key.name, in: folders.lists)
        try file.write(text.span)
        if stopsAt(.listWritten) { return false }
        try file.publish(replacing: true)
        note(written: old.isEmpty ? file.size : 0)
        for response in old where !new.contains(where: { $0.body.name == response.body.name }) {
            removeBody(response.body, in: folders)
        }
        return true
    }

    private func responses(under key: CacheKey, in folders: DiskFolders) -> [StoredResponse] {
        guard let list = try? InputFile(in: folders.lists, name: key.name),
            let text = try? list.readPrefix(limit: Self.largestList),
            let entry = EntryText.parse(text), entry.url == key.url
        else { return [] }
        return entry.responses
    }

    private func removeBody(_ body: StoredResponse.Body, in folders: DiskFolders) {
        if !body.name.isEmpty { folders.bodies.remove(body.name) }
    }

    private static func file(_ name: String, in folder: Folder) throws(SystemError) -> OutputFile {
        try OutputFile(in: folder, name: name, mode: 0o600, keepsModeOfReplacedFile: false)
    }

    private static func newBodyName(for key: CacheKey) -> String {
        var generator = SystemRandomNumberGenerator()
        let number = String(generator.next() as UInt64, radix: 36)
        return "\(DiskFolders.prefix(of: key.name)).\(number)"
    }

    // MARK: - The folders, and what goes wrong in them

    private func folders(create: Bool) -> DiskFolders? {
        state.withLock { state in
            if state.fault != nil { return nil }
            if let folders = state.folders { return folders }
            do throws(SystemError) {
                let folders = try DiskFolders(in: directory, create: create)
                state.folders = folders
                return folders
            } catch {
                if create || !error.isMissing { state.fault = error.message }
                return nil
            }
        }
    }

    /// Does something that the file system may refuse, which turns the store off.
    private func attempt<Result>(
        _ body: (DiskFolders) throws(SystemError) -> Result
    ) -> Result? {
        guard let folders = folders(create: true) else { return nil }
        do throws(SystemError) {
            return try body(folders)
        } catch {
            // A folder that was taken away meanwhile is made again the next time; a busy lock is no fault.
            let isGone = error.isMissing || !folders.bodies.isAtItsPath
            let isPassing = isGone || error.isTaken || error.isBusy
            state.withLock { state in
                if isGone { state.folders = nil }
                if !isPassing, state.fault == nil { state.fault = error.message }
            }
            return nil
        }
    }

    // MARK: - Room

    /// Counts what was written, and makes room when there is too much.
    private func note(written: Int64) {
        let due = state.withLock { state -> Int64? in
            state.written += (written + 4095) / 4096 * 4096
            guard state.written >= capacity / DiskSweep.steps else { return nil }
            defer { state.written = 0 }
            return state.written
        }
        if let due { tell(due) }
    }

    /// Whether more may be stored; what was full may have been swept meanwhile.
    private var hasRoom: Bool {
        if state.withLock({ $0.isFull }) { tell(0) }
        return state.withLock { !$0.isFull }
    }

    /// Tells other processes what this one has written, and makes room when there is little.
    private func tell(_ written: Int64) {
        guard let folders = folders(create: false) else { return }
        let sweep = DiskSweep(folders: folders, capacity: capacity)
        let room = sweep.add(written)
        let (starts, last) = state.withLock { state -> (Bool, JoinableThread?) in
            state.isFull = room == .none
            guard room != .enough, !state.isSweeping else { return (false, nil) }
            state.isSweeping = true
            defer { state.sweeper = nil }
            return (true, state.sweeper)
        }
        guard starts else { return }
        last?.join()
        let sweeper = try? JoinableThread(name: "cache sweep") { [self] in
            _ = sweep.run()
            state.withLock { $0.isSweeping = false }
        }
        state.withLock { state in
            if sweeper == nil { state.isSweeping = false }
            state.sweeper = sweeper
        }
    }

    package func close() {
        let (written, sweeper) = state.withLock { state in
            defer {
                state.written = 0
                state.sweeper = nil
            }
            return (state.written, state.sweeper)
        }
        sweeper?.join()
        guard written > 0, let folders = folders(create: false) else { return }
        let sweep = DiskSweep(folders: folders, capacity: capacity)
        if sweep.add(written) != .enough { _ = sweep.run() }
    }
}
