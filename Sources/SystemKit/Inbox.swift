/// A queue that any thread fills and one thread empties, all at once.
package final class Inbox<Element: Sendable>: Sendable {
    private let elements = Lock<[Element]>([])

    package init() {}

    /// Appends an element and wakes the reader.
    package func push(_ element: Element) {
        // Only the first element of a batch can find the reader asleep.
        let wasEmpty = elements.withLock { elements in
            elements.append(element)
            return elements.count == 1
        }
        if wasEmpty { elements.notify() }
    }

    /// Everything that has come, in order of arrival; waits for the first element.
    ///
    /// Empty when nothing came until `deadline`, a reading of `CLOCK_MONOTONIC` in nanoseconds; nil waits for ever.
    package func takeAll(until deadline: Int64?) -> [Element] {
        elements.withLock(when: { !$0.isEmpty }, until: deadline) { elements in
            let taken = elements
            elements = []
            return taken
        }
    }
}
