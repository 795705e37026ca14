/// Which tasks are filled in with what which others capture: nothing for a task that is not.
package struct CaptureUses: Sendable, Hashable {
    /// One task that is filled in, and one that captures for it; both are positions in the plan.
    package struct Pair: Sendable, Hashable {
        package var user: Int
        package var source: Int

        package init(user: Int, source: Int) {
            self.user = user
            self.source = source
        }
    }

    /// Each once, by `user` in order.
    package private(set) var pairs: [Pair] = []

    package init() {}

    package var isEmpty: Bool { pairs.isEmpty }

    /// Adds a pair, unless it is there already.
    ///
    /// Its `user` is not below that of the last one.
    package mutating func append(_ pair: Pair) {
        let known = pairs.reversed().prefix { $0.user == pair.user }
        if !known.contains(pair) { pairs.append(pair) }
    }

    /// The tasks that capture for a task.
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
