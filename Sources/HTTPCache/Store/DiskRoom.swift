internal import SystemKit

/// Counts what a process stores, tells the others, and has room made in time.
///
/// Its methods may be called from any thread.
final class DiskRoom: Sendable {
    private struct State {
        /// What others were told before it is written, bytes: a process that is killed has told too much, never too little.
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
        let due = state.withLock { state -> Int64? in
            state.advance -= growth
            guard state.advance < 0 else { return nil }
            let due = capacity / DiskSweep.steps - state.advance
            state.advance += due
            return due
        }
        if let due, tell(due, folders) == .exceeded {
            state.withLock { $0.advance += growth }
            return false
        }
        try name()
        // Who has begun to count since may have looked before it was there.
        let counts = DiskSweep(folders: folders, capacity: capacity).usage?.counts
        let isCountedAnew = state.withLock { state in
            guard let counts, counts != state.counts else { return false }
            state.advance = 0
            return true
        }
        if isCountedAnew { tell(growth, folders) }
        return true
    }

    /// Whether more may be stored; what was full may have been swept meanwhile.
    func isLeft(in folders: DiskFolders) -> Bool {
        if state.withLock({ $0.isFull }) { tell(0, folders) }
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
        guard advance > 0, let folders = folders() else { return }
        let sweep = DiskSweep(folders: folders, capacity: capacity)
        if sweep.takeBack(advance, addedAt: counts) { sweep.run() }
    }

    /// Tells other processes what this one writes, and makes room when there is little.
    ///
    /// - Returns: How much there is; nil when nobody knows.
    @discardableResult
    private func tell(_ size: Int64, _ folders: DiskFolders) -> DiskSweep.Room? {
        let sweep = DiskSweep(folders: folders, capacity: capacity)
        let told = sweep.add(size)
        let room = told?.room
        let (starts, last) = state.withLock { state -> (Bool, JoinableThread?) in
            state.isFull = room == nil || room == .full || room == .exceeded
            if let told { state.counts = told.counts }
            // What nobody was told is told the next time.
            if room == nil { state.advance -= size }
            guard let room, room != .enough, !state.isSweeping else { return (false, nil) }
            state.isSweeping = true
            defer { state.sweeper = nil }
            return (true, state.sweeper)
        }
        guard starts else { return room }
        last?.join()
        let sweeper = try? JoinableThread(name: "cache sweep") { [self] in
            sweep.run()
            state.withLock { $0.isSweeping = false }
        }
        state.withLock { state in
            if sweeper == nil { state.isSweeping = false }
            state.sweeper = sweeper
        }
        return room
    }

    /// What a file of that length takes, bytes.
    private static func blocks(_ size: Int64) -> Int64 { (size + 4095) / 4096 * 4096 }
}
