/// The pairs of tasks in which one uses values that the other captures.
package struct CaptureUses: Sendable, Hashable {
    /// A task that uses captured values and the task that captures them, as positions in the plan.
    package struct Pair: Sendable, Hashable {
        /// The task that inserts the value.
        package var user: Int
        /// The task that captures the value.
        package var source: Int

        /// Creates a pair of two positions in the plan.
        package init(user: Int, source: Int) {
            self.user = user
            self.source = source
        }
    }

    /// Without duplicates, in order of `user`.
    package private(set) var pairs: [Pair] = []

    /// Creates a list without pairs.
    package init() {}

    /// Whether no task uses a value that another captures.
    package var isEmpty: Bool { pairs.isEmpty }

    /// Adds a pair unless it is known.
    ///
    /// Its `user` is at least that of the last pair.
    package mutating func append(_ pair: Pair) {
        let known = pairs.reversed().prefix { $0.user == pair.user }
        if !known.contains(pair) { pairs.append(pair) }
    }

    /// The tasks whose captured values a task uses.
    package func sources(of user: Int) -> some Collection<Int> {
        var first = 0
        var end = pairs.count
        while first < end {
            let middle = first + (end - first) / 2
            if pairs[middle].user < user { first = middle + 1 } else { end = middle }
        }
        return pairs[first...].prefix { $0.user == user }.lazy.map(\.source)
    }
}
