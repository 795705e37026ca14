/// Finds out whether tasks need others, directly or through others.
///
/// One walk over the graph answers for 64 needed tasks at once: each is a bit, and a node has the
/// bits of all its needs. So a million tasks that ask for one other cost no more than one task
/// does.
struct NeedSearch {
    /// Whether each of some nodes needs another one.
    struct Question {
        var nodes: Range<Int>
        var source: Int
    }

    private let graph: TaskGraph
    /// The nodes, each after the nodes that it needs.
    private let order: [Int]
    /// The place of each node in the order; `unordered` for a node in a cycle, and for nodes that
    /// need one of them.
    private var positions: [UInt32]

    /// The positions of nodes whose needs are unknown.
    private let unknown: [Int]

    private static let unordered = UInt32.max

    /// Creates a search in a graph.
    ///
    /// It assumes that nodes in `unknown`, and nodes that need one of them, need every node.
    init(_ graph: TaskGraph, unknown: [Range<Int>] = []) {
        self.graph = graph
        order = graph.order()
        positions = [UInt32](repeating: Self.unordered, count: graph.count)
        for (position, node) in order.enumerated() {
            positions[node] = UInt32(truncatingIfNeeded: position)
        }
        self.unknown = unknown.joined().map { [positions] in positions[$0] }
            .filter { $0 != Self.unordered }.map(Int.init).sorted()
    }

    /// The answer to each question; yes for nodes in a cycle, which is a fault of its own.
    func answers(to questions: [Question]) -> [Bool] {
        var answers = [Bool](repeating: true, count: questions.count)
        // Neighbouring sources share a walk, which goes from the first source to the last node of
        // their questions.
        var open = questions.indices
            .filter { positions[questions[$0].source] != Self.unordered }
            .sorted { positions[questions[$0].source] < positions[questions[$1].source] }[...]
        while !open.isEmpty {
            var sources: [Int] = []
            let batch = open.prefix { number in
                let source = questions[number].source
                if sources.last == source { return true }
                guard sources.count < UInt64.bitWidth else { return false }
                sources.append(source)
                return true
            }
            open = open.dropFirst(batch.count)
            let walk = walk(from: sources, to: batch.lazy.map { questions[$0].nodes })
            for number in batch {
                let question = questions[number]
                guard let bit = sources.firstIndex(of: question.source) else { continue }
                answers[number] = question.nodes.allSatisfy { node in
                    node != question.source && walk.has(bit, at: positions[node])
                }
            }
        }
        return answers
    }

    /// The needs of the nodes of a part of the order.
    private struct Walk {
        /// Position in the order of the first of the nodes.
        let first: Int
        /// For each node a bit for each source that it is or needs.
        var bits: [UInt64]

        func has(_ bit: Int, at position: UInt32) -> Bool {
            guard position != NeedSearch.unordered else { return true }
            // Nodes before the first source, and unknown nodes, need no source.
            return Int(position) >= first && bits[Int(position) - first] & 1 << bit != 0
        }
    }

    /// Walks from the sources, at least one and in order, to the last of some nodes.
    private func walk(from sources: [Int], to users: some Sequence<Range<Int>>) -> Walk {
        let firstSource = sources.first.map { Int(positions[$0]) } ?? 0
        let first = min(firstSource, unknown.first ?? firstSource)
        var last = sources.last.map { Int(positions[$0]) } ?? 0
        for node in users.joined() where positions[node] != Self.unordered {
            last = max(last, Int(positions[node]))
        }
        var walk = Walk(first: first, bits: [UInt64](repeating: 0, count: last + 1 - first))
        for (bit, source) in sources.enumerated() {
            walk.bits[Int(positions[source]) - first] = 1 << bit
        }
        for position in unknown.prefix(while: { $0 <= last }) { walk.bits[position - first] = .max }
        for position in first...last {
            var needed: UInt64 = 0
            for need in graph.needs(of: order[position]) {
                let place = Int(positions[need]) - first
                if place >= 0 { needed |= walk.bits[place] }
            }
            walk.bits[position - first] |= needed
        }
        return walk
    }
}
