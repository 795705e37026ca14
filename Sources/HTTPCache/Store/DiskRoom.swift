internal import SystemKit

/// Counts the bytes that this process stores, announces them to other processes, and starts a sweep
/// when room is short.
///
/// Its methods may be called from any thread.
final class DiskRoom: Sendable {
    private typealias Told = (room: DiskSweep.Room, counts: Int64)

    private struct State {
        /// Bytes announced to other processes but not yet written: a killed process has announced
        /// too much, never too little.
        var advance: Int64 = 0
        /// The number of the file count at the last announcement.
        var counts: Int64 = 0
        /// The thread that makes room, running or not yet joined.
        var sweeper: JoinableThread?
        var isSweeping = false
        /// Whether the last announcement found no room or failed.
        var isFull = false
    }

    private let capacity: Int64
    private let state = Lock(State())

    /// - Parameter capacity: The most bytes that all files together may have.
    init(capacity: Int64) { self.capacity = capacity }

    /// Gives a file its name if there is room for it.
    ///
    /// - Parameters:
    ///   - size: The file's length, bytes.
    ///   - replaced: The length of the file that it replaces; 0 without one.
    ///   - folders: The store's folders.
    ///   - name: Gives the file its name.
    /// - Returns: Whether there was room.
    /// - Throws: The error of `name`.
    func take(
        _ size: Int64,
        replacing replaced: Int64 = 0,
        in folders: DiskFolders,
        _ name: () throws(SystemError) -> Void
    ) throws(SystemError) -> Bool {
        let growth = Self.blocks(size) - Self.blocks(replaced)
        guard growth > 0 else {
            try name()
            return true
        }
        var (due, told) = state.withLock { state -> (Int64, Told?) in
            state.advance -= growth
            guard state.advance < 0 else { return (0, (.enough, state.counts)) }
            let due = capacity / DiskSweep.steps - state.advance
            state.advance += due
            return (due, nil)
        }
        if due > 0 { told = tell(due, folders) }
        // Only after naming: a sweep that counts earlier may miss the file.
        defer { makeRoom(after: told?.room, folders) }
        if told?.room == .exceeded {
            state.withLock { $0.advance += growth }
            return false
        }
        try name()
        let counts = DiskSweep(folders: folders, capacity: capacity).usage?.counts
        if let counts, let known = told?.counts, counts != known { told = tell(growth, folders) }
        return true
    }

    /// Whether more may be stored; a sweep may have made room in a full store.
    func isLeft(in folders: DiskFolders) -> Bool {
        guard state.withLock({ $0.isFull }) else { return true }
        makeRoom(after: tell(0, folders)?.room, folders)
        return state.withLock { !$0.isFull }
    }

    /// Withdraws the announcements that were not used, and waits for the sweep.
    func close(in folders: @autoclosure () -> DiskFolders?) {
        let (advance, counts, sweeper) = state.withLock { state in
            defer {
                state.advance = 0
                state.sweeper = nil
            }
            return (state.advance, state.counts, state.sweeper)
        }
        sweeper?.join()
        guard advance > 0 || sweeper != nil, let folders = folders() else { return }
        let sweep = DiskSweep(folders: folders, capacity: capacity)
        if advance > 0 { sweep.takeBack(advance, addedAt: counts) }
        if let room = sweep.add(0)?.room, room != .enough { sweep.run() }
    }

    /// Announces bytes to other processes; nil when another process holds the lock.
    private func tell(_ size: Int64, _ folders: DiskFolders) -> Told? {
        let told = DiskSweep(folders: folders, capacity: capacity).add(size)
        state.withLock { state in
            state.isFull = [nil, .full, .exceeded].contains(told?.room)
            // A failed announcement is added to the next one.
            if told == nil { state.advance -= size }
            guard let told, told.counts != state.counts else { return }
            // The count did not include earlier announcements without a file; a debt stays.
            state.advance = min(0, state.advance)
            state.counts = told.counts
        }
        return told
    }

    /// Starts a thread that makes room when room is short.
    private func makeRoom(after room: DiskSweep.Room?, _ folders: DiskFolders) {
        let (starts, last) = state.withLock { state -> (Bool, JoinableThread?) in
            guard let room, room != .enough, !state.isSweeping else { return (false, nil) }
            state.isSweeping = true
            defer { state.sweeper = nil }
            return (true, state.sweeper)
        }
        guard starts else { return }
        last?.join()
        let sweep = DiskSweep(folders: folders, capacity: capacity)
        let sweeper = try? JoinableThread(name: "cache sweep") { [self] in
            sweep.run()
            state.withLock { $0.isSweeping = false }
        }
        state.withLock { state in
            if sweeper == nil { state.isSweeping = false }
            state.sweeper = sweeper
        }
    }

    /// The size of a file of that length on disk, bytes.
    private static func blocks(_ size: Int64) -> Int64 { (size + 4095) / 4096 * 4096 }
}
