internal import JobFile
internal import TransferModel
internal import SystemKit

/// The places of a job's tasks in its document: a few words for each task, never its settings.
///
/// An entry is a task in the job file. It is one task of the plan, or with `forEach` a group of
/// tasks.
struct TaskList: Sendable {
    struct Entry: Sendable {
        var key: NodeID
        var value: NodeID
        var kind: TaskSpec.Kind
        var isRequired = true
        var priority = 0.5
    }

    /// A task of the plan: its entry, and its group and row when the entry has some.
    struct Place {
        var entry: Int
        var group: Int?
        var row = 0
    }

    /// The most tasks that a plan may have.
    static let mostTasks = 10_000_000

    private(set) var entries: [Entry] = []
    /// The groups of the entries with `forEach`, in their order.
    private(set) var groups: [TaskGroup] = []
    private var ids: TextIndex
    /// The entries with a duplicate id, each with the first entry of this id.
    private(set) var repeated: [(entry: Int, first: Int)] = []

    /// No tasks.
    init() { ids = TextIndex(capacity: 0) }

    /// Tasks in the given order; `find` returns the first entry of a duplicate id.
    init(_ entries: [Entry], groups: [TaskGroup] = [], in document: Document) {
        self.entries = entries
        ids = TextIndex(capacity: entries.count)
        for (number, entry) in entries.enumerated() {
            let (hash, first) = document.withBytes(of: entry.key) { id in
                let hash = id.seededHash
                return (hash, find(id, hash: hash, in: document))
            }
            if let first {
                repeated.append((number, first))
            } else {
                ids.insert(number, hash: hash)
            }
        }
        setGroups(groups)
    }

    /// Sets the groups, in the order of their entries, and numbers their tasks.
    mutating func setGroups(_ groups: [TaskGroup]) {
        self.groups = groups
        var first = 0
        var entry = 0
        for position in groups.indices {
            first += groups[position].entry - entry
            self.groups[position].first = first
            first += groups[position].count
            entry = groups[position].entry + 1
        }
    }

    /// How many tasks the plan has.
    var count: Int {
        guard let last = groups.last else { return entries.count }
        return last.tasks.upperBound + entries.count - last.entry - 1
    }

    /// Where the task of an index comes from.
    func place(of task: Int) -> Place {
        guard let number = lastGroup(where: { $0.first <= task }) else { return Place(entry: task) }
        let group = groups[number]
        guard !group.tasks.contains(task) else {
            return Place(entry: group.entry, group: number, row: group.row(of: task))
        }
        return Place(entry: group.entry + 1 + task - group.tasks.upperBound)
    }

    /// The entry that the task of an index comes from.
    func entry(of task: Int) -> Entry {
        groups.isEmpty ? entries[task] : entries[place(of: task).entry]
    }

    /// The indices of the tasks of an entry.
    func tasks(of entry: Int) -> Range<Int> {
        guard let number = lastGroup(where: { $0.entry <= entry }) else { return entry..<entry + 1 }
        let group = groups[number]
        guard group.entry != entry else { return group.tasks }
        let first = group.tasks.upperBound + entry - group.entry - 1
        return first..<first + 1
    }

    /// The indices of the tasks of a need; none for a row that is not part of the run.
    func tasks(of need: Need) -> Range<Int> {
        guard let row = need.row, let group = group(of: need.entry) else {
            return tasks(of: need.entry)
        }
        return groups[group].tasks(ofRow: row)
    }

    /// The position in `groups` of an entry with `forEach`.
    func group(of entry: Int) -> Int? {
        lastGroup { $0.entry <= entry }.flatMap { groups[$0].entry == entry ? $0 : nil }
    }

    /// The last group that meets a condition; the groups that meet it come before all others.
    private func lastGroup(where condition: (TaskGroup) -> Bool) -> Int? {
        let end = (0..<groups.count).partitioningIndex { !condition(groups[$0]) }
        return end > 0 ? end - 1 : nil
    }

    /// The entry whose id is a scalar's text.
    func find(idOf node: NodeID, in document: Document) -> Int? {
        document.withBytes(of: node) { find($0, hash: $0.seededHash, in: document) }
    }

    /// The entry of an id.
    func find(_ id: String, in document: Document) -> Int? {
        find(id.utf8.span, hash: id.utf8.span.seededHash, in: document)
    }

    private func find(_ id: Span<UInt8>, hash: UInt64, in document: Document) -> Int? {
        ids.find(hash) { number in
            document.withBytes(of: entries[number].key) { $0.equals(id) }
        }
    }

    /// Sets the settings that place an entry's tasks in the run.
    mutating func set(_ entry: Int, isRequired: Bool, priority: Double) {
        entries[entry].isRequired = isRequired
        entries[entry].priority = priority
    }

    /// Sets the settings that place each task of a group in the run.
    mutating func set(_ settings: [TaskGroup.Settings], of group: Int) {
        groups[group].settings = settings
    }

    /// The settings that place a task in the run.
    func settings(of task: Int) -> TaskGroup.Settings {
        let place = place(of: task)
        if let group = place.group, !groups[group].settings.isEmpty {
            return groups[group].settings[task - groups[group].first]
        }
        let entry = entries[place.entry]
        return .init(isRequired: entry.isRequired, priority: entry.priority)
    }
}

extension TaskList {
    /// The list of the tasks in `ranges`.
    ///
    /// The ranges ascend, and each has tasks of one entry; empty ranges are skipped.
    func restricted(to ranges: some Sequence<Range<Int>>, in document: Document) -> TaskList {
        var entries: [Entry] = []
        var groups: [TaskGroup] = []
        var last: Int?
        for tasks in ranges where !tasks.isEmpty {
            let place = place(of: tasks.lowerBound)
            if place.entry != last { entries.append(self.entries[place.entry]) }
            let isNext = place.entry != last
            last = place.entry
            guard let number = place.group else { continue }
            let whole = self.groups[number]
            if isNext { groups.append(whole.emptied(entry: entries.count - 1)) }
            if tasks == whole.tasks {
                groups[groups.count - 1].chosen = whole.chosen
                groups[groups.count - 1].settings = whole.settings
            } else {
                groups[groups.count - 1].append(tasks, of: whole)
            }
        }
        return TaskList(entries, groups: groups, in: document)
    }
}
