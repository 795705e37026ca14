internal import SystemKit

/// Counts what a process stores, tells the others, and has room made in time.
///
/// Its methods may be called from any thread.
final class DiskRoom: Sendable {
    private typealias Told = (room: DiskSweep.Room, counts: Int64)

    private struct State {
        /// What others were told before it is written, bytes: a process that is killed has told too
        /// much, never too little.
        var advance: Int64 = 0
        /// At which count of the files they were told.
        var counts: Int64 = 0
        /// Makes room, or has made it and was not joined yet.
        var sweeper: JoinableThread?
        var isSweeping = false
        /// Whether there was no room when others were told last, or they could not be told.
        var isFull = false
    }

    private let capacity: Int64
    private let state = Lock(State())

    /// - Parameter capacity: What all files together may take, bytes.
    init(capacity: Int64) { self.capacity = capacity }

    /// Has a file get its name, if there is room for it.
    ///
    /// - Parameters:
    ///   - size: Its length, bytes.
    ///   - replaced: The length of the file that it takes the place of; 0 without one.
    ///   - folders: Where it is.
    ///   - name: Gives it its name.
    /// - Returns: Whether there was.
    /// - Throws: What giving it its name says.
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
        // Not before it has its name: who counts meanwhile may not see it.
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

    /// Whether more may be stored; what was full may have been swept meanwhile.
    func isLeft(in folders: DiskFolders) -> Bool {
        guard state.withLock({ $0.isFull }) else { return true }
        makeRoom(after: tell(0, folders)?.room, folders)
        return state.withLock { !$0.isFull }
    }

    /// Takes back what others were told and nothing came of, and waits until there is room.
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

    /// Tells other processes what this one writes; nil when somebody holds the number.
    private func tell(_ size: Int64, _ folders: DiskFolders) -> Told? {
        let told = DiskSweep(folders: folders, capacity: capacity).add(size)
        state.withLock { state in
            state.isFull = [nil, .full, .exceeded].contains(told?.room)
            // What nobody was told is told the next time.
            if told == nil { state.advance -= size }
            guard let told, told.counts != state.counts else { return }
            // What was told before that count was not there to be counted; a debt stays.
            state.advance = min(0, state.advance)
            state.counts = told.counts
        }
        return told
    }

    /// Has another thread make room when there is little.
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

    /// What a file of that length takes, bytes.
    private static func blocks(_ size: Int64) -> Int64 { (size + 4095) / 4096 * 4096 }
}
