internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// The idempotency keys of a job while it is read: how many the runner makes, and which of its own
/// are there twice.
struct IdempotencyKeys {
    /// Tasks that a server takes for one order.
    struct Repetition {
        var first: Int
        var second: Int
    }

    /// How many the runner makes.
    private(set) var madeCount = 0
    /// Those that the job gives: sixteen bytes for each.
    private var given: [(hash: UInt64, task: Int)] = []

    /// A hash of the key that the job gives a task, and of the origin that it is sent to; nil
    /// without such a key.
    static func hash(of draft: TaskDraft) -> UInt64? {
        guard case .value(let key) = draft.idempotencyKey, let url = draft.url else { return nil }
        return "\(url.origin.text) \(key)".utf8.span.seededHash
    }

    /// Takes note of a task's key.
    ///
    /// - Parameters:
    ///   - traits: The task's.
    ///   - task: Its number.
    ///   - isFilledIn: Whether all of it is known by now.
    mutating func note(_ traits: ReadTask.Traits, of task: Int, isFilledIn: Bool) {
        if traits.makesKey { madeCount += 1 }
        if let hash = traits.givenKey, isFilledIn { given.append((hash, task)) }
    }

    /// For each key that is there several times its first two tasks.
    mutating func repetitions() -> [Repetition] {
        given.sort { ($0.hash, $0.task) < ($1.hash, $1.task) }
        var repetitions: [Repetition] = []
        var last: UInt64?
        for (first, second) in zip(given, given.dropFirst())
        where first.hash == second.hash && first.hash != last {
            last = first.hash
            repetitions.append(Repetition(first: first.task, second: second.task))
        }
        given = []
        return repetitions
    }
}

extension PlanBuilder {
    /// Warns of tasks whose order a server takes for a repeat of another one's, once for each of
    /// their entries.
    mutating func warnOfRepeatedKeys() {
        var known: Set<NodeID> = []
        for repetition in keys.repetitions().sorted(by: { $0.second < $1.second })
        where reader.looksForWarnings {
            let first = reader.tasks.entry(of: repetition.first)
            let second = reader.tasks.entry(of: repetition.second)
            guard known.insert(second.key).inserted else { continue }
            let isOne = first.key == second.key
            let id = document.text(of: second.key).excerpt
            let other =
                isOne
                ? "for several tasks of it"
                : "as for \(first.kind.rawValue) `\(document.text(of: first.key).excerpt)`"
            reader.add(
                Diagnostic(
                    .warning,
                    .repeatedKey,
                    "`idempotencyKey` of \(second.kind.rawValue) `\(id)` is the same \(other): "
                        + "the server takes one order for a repeat of the other",
                    at: rangeOfKey(in: second),
                    notes: isOne ? [] : [.init("the other one is here", at: rangeOfKey(in: first))],
                    help: "name the order in it, such as `${item.id}`, or write `auto`"
                )
            )
        }
    }

    private func rangeOfKey(in entry: TaskList.Entry) -> SourceRange {
        document.range(
            of: document.value(of: entry.value, for: "idempotencyKey")?.key ?? entry.key
        )
    }
}
