/// A queue that any thread fills and one thread empties, all at once.
package final class Inbox<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        /// How often the elements were taken.
        var turn = 0
    }

    private let state = Lock(State())

    /// Creates an empty queue.
    package init() {}

    /// Appends an element and wakes the reader; returns the argument for `isTaken`.
    @discardableResult
    package func push(_ element: Element) -> Int {
        // Only the first element of a batch can find the reader asleep.
        let (wasEmpty, turn) = state.withLock { state in
            state.elements.append(element)
            return (state.elements.count == 1, state.turn)
        }
        if wasEmpty { state.notify() }
        return turn
    }

    /// Whether the reader has taken the element for which `push` returned `turn`.
    package func isTaken(_ turn: Int) -> Bool {
        state.withLock { $0.turn > turn }
    }

    /// Takes all elements in order of arrival; waits for the first one.
    ///
    /// Empty at `deadline`, a reading of `CLOCK_MONOTONIC` in nanoseconds; nil waits without a
    /// limit.
    package func takeAll(until deadline: Int64?) -> [Element] {
        state.withLock(when: { !$0.elements.isEmpty }, until: deadline) { state in
            let taken = state.elements
            state.elements = []
            state.turn += 1
            return taken
        }
    }
}
