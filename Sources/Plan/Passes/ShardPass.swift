internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// Chooses the rows of a shard before they are read.
///
/// Of the rows of other shards only the keys are read. The check of the whole job, without a shard,
/// finds their faults.
enum ShardRows {
    /// Reduces each `forEach` of `reader` that no need joins to the rows of a shard.
    static func choose(_ shard: Shard, with reader: inout Reader) {
        let joined = JoinedEntries(of: reader)
        var groups = reader.values.tasks.groups
        // The pass over the rows reports faults of keys.
        var again = reader.forReading(reader.values.tasks)
        for number in groups.indices where !joined.contains(groups[number].entry) {
            groups[number].chosen = rows(of: groups[number], in: shard, &again)
        }
        reader.values.tasks.setGroups(groups)
    }

    /// The rows whose tasks run in a shard, and those without a key, which are faults.
    private static func rows(
        of group: TaskGroup,
        in shard: Shard,
        _ reader: inout Reader
    ) -> [UInt32] {
        var start = ShardHash()
        start.append(reader.document.text(of: reader.values.tasks.entries[group.entry].key) + "[")
        var chosen: [UInt32] = []
        var cursor = RowCursor(group.rows)
        var plain = PlainKeys(of: group.rows, in: reader.document)
        for row in 0..<group.rows.count {
            var hash = plain?.nextHash(after: start)
            if hash == nil, let item = try? cursor.row(at: row),
                let key = RowKey.key(of: item, in: group.rows, &reader)
            {
                hash = start
                hash?.append(key)
            }
            hash?.append("]")
            if hash.map(shard.has) ?? true { chosen.append(UInt32(truncatingIfNeeded: row)) }
        }
        // After a change of the file, the pass over the rows reports it at any of them.
        let isUnchanged = plain?.isUnchanged ?? true
        return isUnchanged || group.rows.count == 0 ? chosen : [0]
    }
}

/// The entries whose tasks may be joined to others by `needs` and `when`, as far as the job file
/// shows before rows are read.
struct JoinedEntries {
    /// Whether a need that each row fills in may name any task.
    private var isAll = false
    private var entries: Set<Int> = []

    /// Looks at the `needs` and the `when` of all entries of a reader.
    init(of reader: Reader) {
        let (document, tasks) = (reader.document, reader.values.tasks)
        guard document.hasScalar("needs") || document.hasScalar("when") else { return }
        for (number, entry) in tasks.entries.enumerated() {
            var names: [NodeID] = []
            if let needs = document.value(of: entry.value, for: "needs")?.value {
                names = document.items(of: needs)
            }
            if let when = document.value(of: entry.value, for: "when")?.value {
                names += WhenTable.ids(in: when, document)
            }
            if !names.isEmpty { entries.insert(number) }
            for name in names { insert(name, document, tasks) }
        }
    }

    private mutating func insert(_ name: NodeID, _ document: Document, _ tasks: TaskList) {
        let text = document.text(of: name)
        let bracket = text.cut(atFirst: "[")?.before
        // A row's key may be an expression; the id in front of it is known nevertheless.
        let id = bracket ?? text[...]
        if document.hasInterpolation(name), id.cut(atFirst: "$") != nil || bracket == nil {
            isAll = true
        } else if let entry = tasks.find(String(id), in: document) {
            entries.insert(entry)
        }
    }

    /// Whether tasks of an entry may be joined to others.
    func contains(_ entry: Int) -> Bool { isAll || entries.contains(entry) }
}

/// The nodes of a graph that run in a shard: tasks that need each other stay together.
///
/// Joined nodes run in the shard of their first name in byte order. The name of a node is the id of
/// its task. All tasks of a `forEach` have its id if no need distinguishes their rows.
struct ShardNodes {
    private var isOwn: [Bool]
    /// A warning when one shard gets more than half of the job.
    private(set) var warning: String?

    /// Nodes that needs join, or the rows of a `forEach` that stay together.
    private struct Part {
        /// The first name.
        var name: String
        var isJoined: Bool
        /// The number of tasks.
        var count = 0
    }

    /// Chooses among the nodes of the graph of a reader's tasks.
    ///
    /// `distinguished` has the entries whose rows have or are needs of their own.
    init(
        _ shard: Shard,
        of graph: TaskGraph,
        distinguished: Set<Int>,
        with reader: Reader
    ) {
        isOwn = Array(repeating: true, count: graph.count)
        var joined = JoinedNodes(of: graph)
        var parts: [Int: Part] = [:]
        var walk = NameWalk(reader, distinguished)
        for node in 0..<graph.count {
            let tasks = graph.tasks(of: node)
            guard !tasks.isEmpty, let name = walk.name(of: tasks.lowerBound) else { continue }
            let isJoined = joined.contains(node)
            if !isJoined { isOwn[node] = shard.has(name) }
            guard isJoined || tasks.count > 1 else { continue }
            let number = joined.first(of: node)
            var part = parts[number] ?? Part(name: name, isJoined: isJoined)
            if name.utf8.lexicographicallyPrecedes(part.name.utf8) { part.name = name }
            part.count += tasks.count
            parts[number] = part
        }
        for node in 0..<graph.count where joined.contains(node) {
            isOwn[node] = parts[joined.first(of: node)].map { shard.has($0.name) } ?? false
        }
        let largest = parts.values.max { $0.count < $1.count }
        warning = largest.flatMap { Self.warning(of: $0, shard, reader.values.tasks) }
    }

    /// Whether a node runs in the shard.
    func contains(_ node: Int) -> Bool { isOwn[node] }

    private static func warning(of part: Part, _ shard: Shard, _ tasks: TaskList) -> String? {
        let all = tasks.groups.reduce(tasks.entries.count - tasks.groups.count) {
            $0 + $1.rows.count
        }
        guard shard.count > 1, part.count > all / 2 else { return nil }
        var hash = ShardHash()
        hash.append(part.name)
        let name = part.name.excerpt
        let reason =
            part.isJoined
            ? "`needs` joins them to `\(name)`"
            : "an expression in `needs` may name any row of `\(name)`"
        return "\(part.count) of \(all) tasks run in the shard \(hash.index(of: shard.count))/"
            + "\(shard.count), because \(reason)"
    }
}

/// Gives nodes of a graph their names, in their order.
private struct NameWalk {
    private var reader: Reader
    /// The rows of the last group.
    private var rows: (group: Int, cursor: RowCursor)?
    private let distinguished: Set<Int>

    init(_ reader: Reader, _ distinguished: Set<Int>) {
        self.reader = reader.forReading(reader.values.tasks)
        self.distinguished = distinguished
    }

    /// The name of the node of a task; nil for a group whose rows were chosen by themselves.
    mutating func name(of task: Int) -> String? {
        let list = reader.values.tasks
        let place = list.place(of: task)
        let id = reader.document.text(of: list.entries[place.entry].key)
        guard let number = place.group else { return id }
        let group = list.groups[number]
        guard group.chosen == nil else { return nil }
        guard distinguished.contains(place.entry) else { return id }
        if rows?.group != number { rows = (number, RowCursor(group.rows)) }
        guard let row = try? rows?.cursor.row(at: place.row),
            let key = RowKey.key(of: row, in: group.rows, &reader)
        else { return id }
        return "\(id)[\(key)]"
    }
}

/// The parts of a graph that no edge joins.
private struct JoinedNodes {
    /// A node of the same part with a lower number; itself for the first node of a part.
    private var parents: [UInt32]
    private var isJoined: [Bool]

    init(of graph: TaskGraph) {
        parents = (0..<graph.count).map { UInt32(truncatingIfNeeded: $0) }
        isJoined = Array(repeating: false, count: graph.count)
        guard graph.hasEdges else { return }
        for node in 0..<graph.count {
            for need in graph.needs(of: node) {
                let (one, other) = (first(of: node), first(of: need))
                parents[max(one, other)] = UInt32(truncatingIfNeeded: min(one, other))
                (isJoined[node], isJoined[need]) = (true, true)
            }
        }
    }

    /// The first node of the part of a node.
    mutating func first(of node: Int) -> Int {
        var node = node
        while Int(parents[node]) != node {
            parents[node] = parents[Int(parents[node])]
            node = Int(parents[node])
        }
        return node
    }

    /// Whether an edge begins or ends at a node.
    func contains(_ node: Int) -> Bool { isJoined[node] }
}
