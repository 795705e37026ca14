internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// Makes the listings of a plan's tasks for `runner plan`, one after another; the common settings
/// of a `forEach` are found once.
struct TaskListing {
    /// The listing of one task.
    struct Task {
        var id: String
        /// The 1-based line of the task's key in the text of all files.
        var line: Int
        var needs: [String]
        var rows: [SettingRow]
    }

    /// The values that the tasks of one entry share.
    private struct Common {
        var entry: Int
        var walk: SettingWalk
        var cursor: RowCursor?
    }

    private let plan: Plan
    /// The `timeoutInterval` of the tasks in each session that do not set it.
    private let timeouts: [SettingRow?]
    private let disclosure: Disclosure
    private var common: Common?
    private var needs: (unit: Int, names: [String])?

    init(_ plan: Plan, timeouts: [SettingRow?], _ disclosure: Disclosure) {
        self.plan = plan
        self.disclosure = disclosure
        self.timeouts = timeouts
    }

    /// The value of `defaults`.
    static func defaults(of plan: Plan) -> NodeID? {
        let document = plan.source.reader.document
        return document.value(of: document.root, for: "defaults")?.value
    }

    /// The listing of the task at an index.
    mutating func task(_ index: Int) -> Task {
        let place = plan.source.tasks.place(of: index)
        let entry = plan.source.tasks.entries[place.entry]
        let known = common.take()
        var state = known?.entry == place.entry ? known ?? walk(place, entry) : walk(place, entry)
        if state.cursor != nil { state.walk.enter(try? state.cursor?.row(at: place.row)) }
        let task = Task(
            id: state.walk.id(of: index, place, in: plan),
            line: plan.source.reader.document.range(of: entry.key).start.line,
            needs: needs(of: index),
            rows: rows(&state.walk, entry)
        )
        if place.group != nil { common = state }
        return task
    }

    /// The shown text of the destination of the task at an index.
    mutating func destination(of index: Int) -> String {
        let rows = task(index).rows
        return rows.first { ["to", "becomeDownload.to"].contains($0.path) && $0.isChosen }?.value
            ?? Diagnostic.dots
    }

    private func walk(_ place: TaskList.Place, _ entry: TaskList.Entry) -> Common {
        var walk = SettingWalk(plan.source.reader, disclosure)
        walk.walk(
            TaskTable.table(of: entry.kind).keys,
            in: [entry.value, Self.defaults(of: plan)].compactMap { $0 }
        )
        let cursor = place.group.map { RowCursor(plan.source.tasks.groups[$0].rows) }
        return Common(entry: place.entry, walk: walk, cursor: cursor)
    }

    /// The rows of a task; where its session sets something or is the only one, the session's.
    private func rows(_ walk: inout SettingWalk, _ entry: TaskList.Entry) -> [SettingRow] {
        let session = session(of: entry, &walk)
        return walk.rows.map { row in
            guard row.line == nil, let session else { return row }
            switch row.path {
            case "session":
                return SettingRow(path: row.path, value: plan.sessions[session].name)
            case "timeoutInterval": return timeouts[session] ?? row
            case "cachePolicy":
                return plan.sessions[session].requestCachePolicy.map {
                    SettingRow(path: row.path, value: $0.rawValue)
                } ?? row
            default: return row
            }
        }
    }

    /// The position of the session that a task uses.
    private func session(of entry: TaskList.Entry, _ walk: inout SettingWalk) -> Int? {
        guard let found = plan.source.reader.document.value(of: entry.value, for: "session") else {
            return plan.sessions.count == 1 ? 0 : nil
        }
        return walk.session(Field(name: "session", key: found.key, node: found.value))
    }

    /// The ids of a task's needs; a whole `forEach` has one id.
    private mutating func needs(of index: Int) -> [String] {
        let unit = plan.graph.unit(of: index)
        if let needs, needs.unit == unit { return needs.names }
        let names = plan.needs(of: index)
        needs = (unit, names)
        return names
    }
}

/// The action of a run for a task here and now, as `runner plan --diff` lists it.
package struct TaskOutlook: Sendable, Hashable {
    /// The first action of a run.
    package enum Action: String, Sendable, Hashable, CaseIterable {
        /// Send a request that may change the server.
        case send
        /// Fetch a response.
        case fetch
        /// Fetch the rest of a file.
        case resume
        /// Ask the server whether a file has changed.
        case check
        /// Hold a conversation.
        case connect
        /// Request nothing, because the file is there.
        case keep
        /// Fail before anything is requested.
        case fail

        /// The longest name, characters.
        static let width = allCases.map(\.rawValue.utf8.count).max() ?? 0
    }

    /// The action of a run.
    package let action: Action
    /// The reason or the place, in a few words; empty without one.
    package let detail: String
    /// The bytes of the file that an earlier run has left; nil unless the action is `resume`.
    package let presentBytes: Int64?
    /// The bytes of the whole file; nil if they are not known, and for an action without a file.
    package let totalBytes: Int64?
    /// Whether the server was asked.
    package let isAsked: Bool

    /// An outlook by the file system alone, or by the answer of a server.
    package init(
        _ action: Action,
        _ detail: String,
        presentBytes: Int64? = nil,
        totalBytes: Int64? = nil,
        isAsked: Bool = false
    ) {
        self.action = action
        self.detail = detail
        self.presentBytes = presentBytes
        self.totalBytes = totalBytes
        self.isAsked = isAsked
    }
}
