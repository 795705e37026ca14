internal import Diagnostics
internal import JobFile
internal import SystemKit

/// Reads tasks on a second thread while the builder reads others and takes all of them.
///
/// The tasks go in rounds, of each of which the builder reads the first ones and the second thread
/// the others. What that has read counts only where it found nothing to tell: with a fault, a
/// warning or much text in it, its part of the round is read again in its turn, so that all is
/// found in the order of the file, and little is held.
struct ReadAhead {
    /// The second thread's tasks of a round.
    private struct Part: Sendable {
        /// The last one first; none when they must be read again.
        var tasks: [ReadTask] = []
        /// The long texts that the reader counted for the tasks.
        var longFilledInLength = 0
    }

    private struct State: Sendable {
        /// The first round that the second thread has not begun.
        var next = 0
        /// The parts that wait to be taken, in their order.
        var parts: [Part] = []
        var isOver = false
        /// The second thread's reader, once it has ended.
        var reader: Reader?
    }

    /// For fewer tasks, a thread costs more than it saves.
    static let fewestTasks = 1_000
    static let roundLength = 64
    /// How many of a round the builder reads: fewer than half, because it takes them all.
    static let ownLength = 30
    /// Parts that wait to be taken.
    private static let mostParts = 4
    /// Bytes that may be filled into the tasks of a part.
    private static let mostFilledIn = 1 << 20
    /// How often the length of the job what its aliases stand for may be.
    private static let largestExpansion = 4

    private let state: Lock<State>
    private let thread: JoinableThread
    /// The rest of the part that was taken last.
    private var tasks: [ReadTask] = []

    /// Begins to read; nil when that is not worth it, or when there is no thread.
    ///
    /// - Parameters:
    ///   - taskReader: What reads the tasks.
    ///   - reader: With everything resolved that tasks refer to.
    ///   - mostKept: How many of the first tasks are wanted themselves.
    init?(_ taskReader: TaskReader, with reader: Reader, mostKept: Int) {
        let document = reader.document
        guard reader.values.tasks.entries.count >= Self.fewestTasks,
            reader.values.tasks.groups.isEmpty,
            document.expandedLength <= Self.largestExpansion * document.source.bytes.count
        else { return nil }
        let state = Lock(State())
        self.state = state
        do throws(SystemError) {
            thread = try JoinableThread(name: "plan") {
                Self.read(taskReader, with: reader, mostKept: mostKept, state)
            }
        } catch {
            return nil
        }
    }

    /// Takes the task of an entry as if `reader` had read it and found nothing to tell; nil when
    /// that must read it.
    ///
    /// To be asked of every entry in order, up to the last or the first that is not asked of.
    mutating func take(_ entry: Int, for reader: inout Reader) -> ReadTask? {
        let (round, place) = entry.quotientAndRemainder(dividingBy: Self.roundLength)
        if place == Self.ownLength { tasks = part(of: round, for: &reader) }
        return tasks.popLast()
    }

    private func part(of round: Int, for reader: inout Reader) -> [ReadTask] {
        let part = state.withLock(
            when: { $0.next <= round || !$0.parts.isEmpty },
            until: nil
        ) { state in
            // One that is not begun is sooner read than waited for.
            guard state.next <= round else { return state.parts.removeFirst() }
            state.next = round + 1
            return Part()
        }
        state.notify()
        return reader.values.counts(longFilledIn: part.longFilledInLength) ? part.tasks : []
    }

    /// Ends the second thread; `reader` then knows what its reader has noted.
    func finish(for reader: inout Reader) {
        state.withLock { $0.isOver = true }
        state.notify()
        thread.join()
        if let other = state.withLock({ $0.reader }) { reader.values.takeNotes(of: other.values) }
    }

    /// The second thread.
    private static func read(
        _ taskReader: TaskReader,
        with reader: Reader,
        mostKept: Int,
        _ state: Lock<State>
    ) {
        var reader = reader
        reader.useTwin()
        let count = reader.values.tasks.entries.count
        while true {
            let first = state.withLock(
                when: { $0.isOver || $0.parts.count < mostParts },
                until: nil
            ) { state -> Int? in
                guard !state.isOver else { return nil }
                state.next += 1
                return (state.next - 1) * roundLength + ownLength
            }
            guard let first, first < count else { break }
            let entries = first..<min(first - ownLength + roundLength, count)
            let part = part(entries, of: taskReader, with: &reader, mostKept: mostKept)
            state.withLock { $0.parts.append(part) }
            state.notify()
        }
        let noted = reader
        state.withLock { $0.reader = noted }
    }

    private static func part(
        _ entries: Range<Int>,
        of taskReader: TaskReader,
        with reader: inout Reader,
        mostKept: Int
    ) -> Part {
        let patternCount = reader.rightPatterns.count
        var tasks: [ReadTask] = []
        tasks.reserveCapacity(entries.count)
        var filledInLength = 0
        reader.forgetFindings()
        for entry in entries {
            let task = taskReader.read(entry, mostKept: mostKept, with: &reader)
            filledInLength += reader.values.filledInLength
            // How many patterns are looked at depends on those of the tasks before.
            guard reader.faults.log.isEmpty, filledInLength <= mostFilledIn,
                reader.rightPatterns.count == patternCount
            else { return Part() }
            tasks.append(task)
        }
        tasks.reverse()
        return Part(tasks: tasks, longFilledInLength: reader.values.longFilledInLength)
    }
}
