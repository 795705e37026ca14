internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// Finds tasks with the same idempotency key at the same origin: the server takes the second order
/// for a repeat of the first one.
struct RepeatedKeyCheck {
    /// The first two tasks that have a key.
    struct Repetition: Hashable {
        var first: Int
        var second: Int
    }

    /// The keys that the job gives: sixteen bytes for each.
    private var given: [(hash: UInt64, task: Int)] = []
    /// A plan lists no more warnings.
    private static let mostWarnings = 100

    /// A hash of the key that the job gives a task, and of its origin; nil without such a key.
    static func hash(of draft: TaskDraft) -> UInt64? {
        guard case .value(let key) = draft.idempotencyKey, let url = draft.url else { return nil }
        return "\(url.origin.text) \(key)".utf8.span.seededHash
    }

    /// Notes the hash of a task's key.
    mutating func note(_ hash: UInt64, of task: Int) { given.append((hash, task)) }

    /// For each key that several tasks have, its first two tasks, in the order of the second ones.
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
        return repetitions.sorted { $0.second < $1.second }
    }

    /// A warning for each entry that repeats a key.
    mutating func warnings(of tasks: TaskList, in document: Document) -> [Diagnostic] {
        var known: Set<NodeID> = []
        var warnings: [Diagnostic] = []
        for repetition in repetitions() where warnings.count < Self.mostWarnings {
            let first = tasks.entry(of: repetition.first)
            let second = tasks.entry(of: repetition.second)
            guard known.insert(second.key).inserted else { continue }
            let isOne = first.key == second.key
            let id = document.text(of: second.key).excerpt
            let other =
                isOne
                ? "for several of its tasks"
                : "as for \(first.kind.rawValue) `\(document.text(of: first.key).excerpt)`"
            func range(_ entry: TaskList.Entry) -> SourceRange {
                let key = document.value(of: entry.value, for: "idempotencyKey")?.key
                return document.range(of: key ?? entry.key)
            }
            warnings.append(
                Diagnostic(
                    .warning,
                    JobCode.repeatedKey,
                    "`idempotencyKey` of \(second.kind.rawValue) `\(id)` is the same \(other): "
                        + "the server takes the second request for a repeat of the first",
                    at: range(second),
                    notes: isOne ? [] : [.init("the other key is here", at: range(first))],
                    help:
                        "make the key differ for each request, such as with `${item.id}`, or "
                        + "write `auto`"
                )
            )
        }
        return warnings
    }
}
