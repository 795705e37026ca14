package import TransferModel

/// The outcome of a need, from the best to the worst.
///
/// All tasks of a `forEach` together have the outcome of the worst of them.
package enum NeedEnd: UInt8, Sendable, Hashable, Comparable {
    /// Also when nothing had changed.
    case succeeded
    case skipped
    case deferred
    case failed

    /// Orders outcomes from the best to the worst.
    package static func < (left: NeedEnd, right: NeedEnd) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The outcomes of a need after which a task starts, and the alternative of its `when` that names
/// them.
package struct NeedTerm: Sendable, Hashable {
    /// A bit for each end.
    private let ends: UInt8
    /// The number of the alternative; `everywhere` for a term of all alternatives.
    private let number: UInt8
    /// How many alternatives the task has.
    private let count: UInt8

    private static let everywhere = UInt8.max

    /// The term of a task without a condition on the need: it must succeed.
    package static let success = NeedTerm(ends: [.succeeded], number: everywhere, count: 1)

    private init(ends: [NeedEnd], number: UInt8, count: UInt8) {
        self.ends = ends.reduce(0) { $0 | 1 << $1.rawValue }
        self.number = number
        self.count = count
    }

    /// A term of one alternative of several.
    ///
    /// - Parameters:
    ///   - ends: The outcomes with which the alternative may hold.
    ///   - alternative: Its number, below `count`.
    ///   - count: From 1 to `AlternativeSet.capacity`.
    package init(_ ends: [NeedEnd], alternative: Int, of count: Int) {
        self.init(
            ends: ends,
            number: UInt8(truncatingIfNeeded: alternative),
            count: UInt8(truncatingIfNeeded: count)
        )
    }

    /// Whether the term is one of a `when`.
    package var isCondition: Bool { number != Self.everywhere }

    /// The alternatives that cannot hold without the term.
    package var alternatives: AlternativeSet {
        isCondition ? AlternativeSet(Int(number)) : .all
    }

    /// All alternatives of the task.
    package var allAlternatives: AlternativeSet { isCondition ? .first(Int(count)) : .all }

    /// Whether a need can still meet the term, if `end` is the outcome of its ended tasks so far.
    package func admits(_ end: NeedEnd, isLast: Bool) -> Bool {
        isLast ? ends >> end.rawValue & 1 == 1 : ends >> end.rawValue != 0
    }

    /// Whether only a success meets the term.
    package var isOfSuccess: Bool { ends == 1 << NeedEnd.succeeded.rawValue }
}

extension Collection<NeedTerm> {
    /// Whether a task with these terms, all of one need, starts only after the need has succeeded.
    var demandSuccess: Bool {
        let sure = filter(\.isOfSuccess).reduce(into: AlternativeSet()) {
            $0.formUnion($1.alternatives)
        }
        return first.map { sure.isSuperset(of: $0.allAlternatives) } ?? false
    }
}

/// A need and the outcomes of it after which a task starts.
struct Requirement: Sendable, Hashable {
    var need: Need
    var term = NeedTerm.success
}

/// `when` of a task.
struct When: Sendable {
    /// The needs that its alternatives name.
    var requirements: [Requirement] = []
    /// The alternatives whose comparisons hold, as far as their values are known.
    var held: AlternativeSet = []
}
