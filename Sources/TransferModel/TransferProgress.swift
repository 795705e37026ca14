internal import SystemKit

/// How much of its bodies a task has moved, as `URLSessionTask.progress`.
package struct TransferProgress: Sendable, Hashable {
    /// Body bytes of the request and the response; the part from before the last attempt counts
    /// once.
    package var completedUnitCount: Int64
    /// The length of both bodies; nil while the peer has not announced it.
    package var totalUnitCount: Int64?

    /// From 0 to 1; nil while the total is unknown.
    package var fractionCompleted: Double? {
        guard let totalUnitCount else { return nil }
        // A task without a body has succeeded, because its total is known.
        if totalUnitCount == completedUnitCount { return 1 }
        return Double(completedUnitCount) / Double(totalUnitCount)
    }

    /// The progress of a task without an attempt.
    package static let none = TransferProgress(counts: [], expected: nil, isComplete: false)

    /// Creates the progress of a task that has ended.
    ///
    /// A success is complete, whatever a peer announced; without one the count never passes the
    /// total.
    ///
    /// - Parameters:
    ///   - counts: Body bytes of the last attempt, with the part that it resumed; the sum
    ///     saturates.
    ///   - expected: The lengths of the bodies; nil when one of them is unknown.
    ///   - isComplete: Whether the task has succeeded, or had nothing to do.
    package init(counts: [Int64], expected: [Int64]?, isComplete: Bool) {
        let count = Self.sum(counts)
        if isComplete {
            (completedUnitCount, totalUnitCount) = (count, count)
        } else {
            let total = expected.map(Self.sum).flatMap { $0 > 0 ? $0 : nil }
            completedUnitCount = min(count, total ?? .max)
            totalUnitCount = total
        }
    }

    private static func sum(_ counts: [Int64]) -> Int64 {
        counts.reduce(0 as Int64) { $0.addingSaturated(max(0, $1)) }
    }
}
