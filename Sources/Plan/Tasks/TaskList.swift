internal import JobFile
internal import TransferModel
internal import SystemKit

/// Where the tasks of a job stand in its document: a few words a task, never its settings.
struct TaskList: Sendable {
    struct Entry: Sendable {
        var key: NodeID
        var value: NodeID
        var kind: TaskSpec.Kind
        var isRequired = true
        var priority = 0.5
    }

    private(set) var entries: [Entry] = []
    private var ids: TextIndex

    /// No tasks.
    init() { ids = TextIndex(capacity: 0) }

    /// Tasks in the order given; a later one of the same id is not found by it.
    init(_ entries: [Entry], in document: Document) {
        self.entries = entries
        ids = TextIndex(capacity: entries.count)
        for (number, entry) in entries.enumerated() {
            let hash = document.withBytes(of: entry.key) { $0.seededHash }
            guard find(idOf: entry.key, in: document) == nil else { continue }
            ids.insert(number, hash: hash)
        }
    }

    /// The task whose id is a scalar's text.
    func find(idOf node: NodeID, in document: Document) -> Int? {
        document.withBytes(of: node) { find($0, in: document) }
    }

    /// The task of an id.
    func find(_ id: String, in document: Document) -> Int? {
        find(id.utf8.span, in: document)
    }

    private func find(_ id: Span<UInt8>, in document: Document) -> Int? {
        ids.find(id.seededHash) { number in
            document.withBytes(of: entries[number].key) { $0.equals(id) }
        }
    }

    /// Keeps what a task says of its place in the run.
    mutating func set(_ number: Int, isRequired: Bool, priority: Double) {
        entries[number].isRequired = isRequired
        entries[number].priority = priority
    }
}
