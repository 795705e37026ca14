internal import Diagnostics
internal import JSON
internal import JobFile
internal import SystemKit
internal import TransferModel

/// The output of `runner plan`: the tasks, their order, and the line of each setting.
///
/// Values that come from the environment are shown as the expressions that ask for them.
package struct PlanListing {
    /// Which settings the listing for people has.
    package enum Scope: Sendable {
        /// The settings that a line of the job file sets.
        case set
        /// Defaults too.
        case all
    }

    private let plan: Plan
    private let scope: Scope
    /// The names of the interfaces that each session could use now; nil when that was not looked
    /// at.
    private let interfaces: [[String]]?
    private let disclosure: Disclosure
    /// The displayed form of a text.
    private let shown: (String) -> String
    private let names: NeededNames
    /// The nodes of the plan's graph, each after the nodes that it needs.
    private let order: [Int]
    /// The `timeoutInterval` of the tasks in each session that do not set it.
    private let timeouts: [SettingRow?]

    /// Orders the tasks and looks for the names that the job needs.
    ///
    /// `interfaces` has the names of the interfaces that each session could use now; nil when they
    /// do not matter. Settings that no line sets are listed only with the scope `all`, and in JSON.
    /// With `showsValues` all values are shown that are no credential by the language. Every text
    /// of the job goes through `shown` before it is handed out.
    package init(
        _ plan: Plan,
        scope: Scope = .all,
        interfaces: [[String]]? = nil,
        showsValues: Bool = false,
        shown: @escaping (String) -> String = { $0 }
    ) {
        self.plan = plan
        self.scope = scope
        self.interfaces = interfaces
        let disclosure = Disclosure(of: plan.source.reader.document, showsValues: showsValues)
        self.disclosure = disclosure
        self.shown = shown
        names = NeededNames(plan.source.reader.document)
        order = plan.graph.order()
        timeouts = plan.sessions.indices.map { number in
            let name = plan.sessions[number].name
            let rows = Self.session(number, of: plan, disclosure).rows
            return rows.first { $0.path == "timeoutIntervalForRequest" }.map {
                SettingRow(path: "timeoutInterval", value: $0.value, line: $0.line, session: name)
            }
        }
    }

    /// One task, session or other owner of settings.
    private struct Owner {
        var rows: [SettingRow]
        /// The line of the key in the text of all files; nil if the job does not have it.
        var line: Int?
    }

    private func job() -> [SettingRow] {
        let document = plan.source.reader.document
        var walk = SettingWalk(plan.source.reader, disclosure)
        for (name, table) in [
            ("schedule", ScheduleTable.table.keys), ("report", JobTable.report.keys),
        ] {
            let value = document.value(of: document.root, for: name)?.value
            walk.walk(table, in: value.map { [$0] } ?? [], path: name + ".")
        }
        return walk.rows
    }

    private static func session(
        _ number: Int,
        of plan: Plan,
        _ disclosure: Disclosure
    ) -> Owner {
        let document = plan.source.reader.document
        let name = plan.sessions[number].name
        let sessions = document.value(of: document.root, for: "sessions")
        let entry = sessions.flatMap { document.value(of: $0.value, for: name) }
        var walk = SettingWalk(plan.source.reader, disclosure)
        walk.walk(
            SessionTable.table.keys,
            in: [entry?.value, TaskListing.defaults(of: plan)].compactMap { $0 }
        )
        return Owner(
            rows: walk.rows.map { row in
                var row = row
                if row.path == "proxy", plan.sessions[number].proxy == .environment {
                    let proxies = environmentProxies(plan)
                    row.value += " (\(proxies ?? "which names no proxy"))"
                    row.isOfEnvironment = proxies != nil
                } else if row.path == "tls.caFile", plan.sessions[number].tls.caFile == nil {
                    let roots = RootsEnvironment { plan.options.environment[$0] }.assignments
                    guard !roots.isEmpty else { return row }
                    row.value = roots.joined(separator: ", ")
                    row.isOfEnvironment = true
                }
                return row
            },
            line: entry.map { document.range(of: $0.key).start.line }
        )
    }

    /// The proxies that the environment names, and by which variables; nil when it names none.
    private static func environmentProxies(_ plan: Plan) -> String? {
        let environment: ProxyEnvironment
        do throws(ProxyFault) {
            environment = try ProxyEnvironment { plan.options.environment[$0] }
        } catch {
            return error.message
        }
        let proxies = [("http", environment.http), ("https", environment.https)]
        let named = proxies.compactMap { scheme, entry in
            entry.map { "\(scheme): \($0.server.url) from \($0.variable)" }
        }
        return named.isEmpty ? nil : named.joined(separator: ", ")
    }
}

extension PlanListing {
    /// Hands the listing for people to `emit`, a piece at a time.
    package func writeText<Failure: Error>(
        _ emit: (String) throws(Failure) -> Void
    ) throws(Failure) {
        let count = "\(plan.taskCount) \(plan.taskCount == 1 ? "task" : "tasks")"
        let shard = plan.shard.map { " of the shard \($0.text)" } ?? ""
        var text = printed("job \(plan.name) (\(plan.fileName)): \(count)\(shard)")
        text += printed("environment: \(Self.list(names.environment))")
        text += printed("variables: \(Self.list(names.variables))")
        text += printed("secrets: \(Self.list(names.secrets))")
        append(job(), to: &text)
        for number in plan.sessions.indices {
            let session = Self.session(number, of: plan, disclosure)
            text += "\n"
            text += printed("session \(plan.sessions[number].name)\(place(session.line))")
            if let interfaces {
                let names = interfaces[number].joined(separator: ", ")
                text += printed("  can use now: \(names.isEmpty ? "no interface" : names)")
            }
            append(session.rows, to: &text)
        }
        try emit(text)
        var listing = TaskListing(plan, timeouts: timeouts, disclosure)
        var position = 0
        for node in order {
            for index in plan.graph.tasks(of: node) {
                position += 1
                let task = listing.task(index)
                let kind = plan.kind(of: index).rawValue
                var text = "\n"
                text += printed("\(position). \(kind) \(task.id)\(place(task.line))")
                append(task.rows, to: &text)
                try emit(text)
            }
        }
    }

    private func append(_ rows: [SettingRow], to text: inout String) {
        let rows = scope == .all ? rows : rows.filter(\.isChosen)
        let width = rows.map(\.path.utf8.count).max() ?? 0
        for row in rows {
            let gap = String(repeating: " ", count: width - row.path.utf8.count)
            let line = row.line.map(words) ?? "default"
            let source = row.session.map { "session \($0), \(line)" } ?? line
            text += printed("  \(row.path)\(gap)  \(row.value)  (\(source))")
        }
    }

    private func place(_ line: Int?) -> String { line.map { " (\(words($0)))" } ?? "" }

    /// A line in words, with the name of an included file.
    private func words(_ line: Int) -> String {
        let (file, own) = plan.source.reader.document.source.place(ofLine: line)
        return own == line ? "line \(line)" : "line \(own) of \(file)"
    }

    private static func list(_ names: Set<String>) -> String {
        names.isEmpty ? "none" : names.sorted().joined(separator: ", ")
    }

    /// A line of the listing: without secrets first, harmless then.
    private func printed(_ text: String) -> String { TerminalText.harmless(shown(text)) + "\n" }
}

extension PlanListing {
    /// Hands a line for each task to `emit`, in an order in which they could run, and their numbers
    /// by action at the end.
    ///
    /// - Parameters:
    ///   - outlook: Gives the outlook of a task by its index; its second argument is the shown text
    ///     of the task's destination.
    ///   - emit: Takes the lines.
    /// - Throws: The errors of `emit`.
    package func writeOutlooks<Failure: Error>(
        _ outlook: (Int, _ destination: String) -> TaskOutlook,
        _ emit: (String) throws(Failure) -> Void
    ) throws(Failure) {
        var listing = TaskListing(plan, timeouts: timeouts, disclosure)
        var counts: [TaskOutlook.Action: Int] = [:]
        for node in order {
            for index in plan.graph.tasks(of: node) {
                let task = outlook(index, listing.destination(of: index))
                counts[task.action, default: 0] += 1
                let action = task.action.rawValue
                let width = TaskOutlook.Action.width
                let gap = String(repeating: " ", count: width - action.utf8.count)
                let detail = task.detail.isEmpty ? "" : ": \(task.detail)"
                let kind = plan.kind(of: index).rawValue
                try emit(printed("\(action)\(gap)  \(kind) \(plan.id(of: index))\(detail)"))
            }
        }
        let parts = TaskOutlook.Action.allCases.compactMap { action in
            counts[action].map { "\(action.rawValue) \($0)" }
        }
        let count = "\(plan.taskCount) \(plan.taskCount == 1 ? "task" : "tasks")"
        try emit(printed(parts.isEmpty ? count : "\(count): \(parts.joined(separator: ", "))"))
    }

    /// Hands the same as one JSON document to `emit`, a piece at a time.
    package func writeOutlooksAsJSON<Failure: Error>(
        _ outlook: (Int, _ destination: String) -> TaskOutlook,
        _ emit: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var listing = TaskListing(plan, timeouts: timeouts, disclosure)
        var writer = JSONWriter(isPretty: true)
        writer.beginObject()
        writer.member("formatVersion", 1)
        beginJob(&writer)
        writer.endObject()
        writer.key("tasks")
        writer.beginArray()
        for node in order {
            for index in plan.graph.tasks(of: node) {
                let task = outlook(index, listing.destination(of: index))
                writer.beginObject()
                writer.member("id", shown(plan.id(of: index)))
                writer.member("kind", plan.kind(of: index).rawValue)
                writer.member("action", task.action.rawValue)
                writer.member("detail", shown(task.detail))
                if let bytes = task.presentBytes { writer.member("presentBytes", bytes) }
                if let bytes = task.totalBytes { writer.member("totalBytes", bytes) }
                if task.isAsked { writer.member("asked", true) }
                writer.endObject()
                try writer.drain(emit)
            }
        }
        writer.endArray()
        writer.endObject()
        writer.newline()
        try writer.drain(emit)
    }

    /// Hands the listing as one JSON document to `emit`, a piece at a time.
    package func writeJSON<Failure: Error>(
        _ emit: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var writer = JSONWriter(isPretty: true)
        writer.beginObject()
        writer.member("formatVersion", 1)
        beginJob(&writer)
        write(job(), to: &writer)
        writer.endObject()
        write(names.environment, as: "environment", to: &writer)
        write(names.variables, as: "variables", to: &writer)
        write(names.secrets, as: "secrets", to: &writer)
        writer.key("sessions")
        writer.beginArray()
        for number in plan.sessions.indices {
            let session = Self.session(number, of: plan, disclosure)
            writer.beginObject()
            writer.member("name", shown(plan.sessions[number].name))
            write(session.line, to: &writer)
            write(interfaces?[number], to: &writer)
            write(session.rows, to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.key("tasks")
        writer.beginArray()
        var listing = TaskListing(plan, timeouts: timeouts, disclosure)
        for node in order {
            for index in plan.graph.tasks(of: node) {
                write(listing.task(index), plan.kind(of: index), to: &writer)
                try writer.drain(emit)
            }
        }
        writer.endArray()
        writer.endObject()
        writer.newline()
        try writer.drain(emit)
    }

    /// Begins the object of the job with the members that both documents have.
    private func beginJob(_ writer: inout JSONWriter) {
        writer.key("job")
        writer.beginObject()
        writer.member("name", shown(plan.name))
        writer.member("file", shown(plan.fileName))
        writer.key("shard")
        if let shard = plan.shard { writer.string(shard.text) } else { writer.null() }
    }

    private func write(
        _ task: TaskListing.Task,
        _ kind: TaskSpec.Kind,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("id", shown(task.id))
        writer.member("kind", kind.rawValue)
        write(task.line, to: &writer)
        writer.key("needs")
        writer.beginArray()
        for need in task.needs { writer.string(shown(need)) }
        writer.endArray()
        write(task.rows, to: &writer)
        writer.endObject()
    }

    private func write(_ rows: [SettingRow], to writer: inout JSONWriter) {
        writer.key("settings")
        writer.beginArray()
        for row in rows {
            writer.beginObject()
            writer.member("key", shown(row.path))
            writer.member("value", shown(row.value))
            write(row.line, to: &writer)
            writer.endObject()
        }
        writer.endArray()
    }

    /// The interfaces of a session, or null when they were not looked at.
    private func write(_ interfaces: [String]?, to writer: inout JSONWriter) {
        writer.key("interfaces")
        guard let interfaces else { return writer.null() }
        writer.beginArray()
        for name in interfaces { writer.string(name) }
        writer.endArray()
    }

    /// The line, or null for a value that no line set; after it the name of an included file.
    private func write(_ line: Int?, to writer: inout JSONWriter) {
        writer.key("line")
        guard let line else { return writer.null() }
        let (file, own) = plan.source.reader.document.source.place(ofLine: line)
        writer.integer(Int64(own))
        if own != line { writer.member("file", shown(file)) }
    }

    private func write(_ names: Set<String>, as key: String, to writer: inout JSONWriter) {
        writer.key(key)
        writer.beginArray()
        for name in names.sorted() { writer.string(shown(name)) }
        writer.endArray()
    }
}
