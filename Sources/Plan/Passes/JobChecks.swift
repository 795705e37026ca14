internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// The checks of all tasks of a job together, and the plan's facts about all of them.
struct JobChecks {
    var destinations: DestinationCheck
    var captures = CaptureCheck()
    var secrets = SecretNeeds()
    var needs = TaskGraphBuilder()
    private var keys = RepeatedKeyCheck()
    var traits: JobTraits
    private let paths: TaskPathsReader

    /// Checks of the numbered tasks of `reader`; `dataPaths` are the absolute paths of the data
    /// files.
    init(
        of head: JobHead,
        _ taskReader: TaskReader,
        dataPaths: [String],
        with reader: inout Reader
    ) {
        let sessions = taskReader.shared.sessions
        traits = JobTraits(sessions: sessions, hasBackground: taskReader.shared.hasBackground)
        destinations = DestinationCheck(of: reader.values.tasks, in: head.document)
        destinations.addInputs(job: head.paths, sessions, data: dataPaths)
        destinations.addReports(of: head.draft.report, head.options, &reader)
        paths = TaskPathsReader(reader, taskReader)
        needs.reserveCapacity(reader.values.tasks.entries.count)
    }

    /// Notes the task of an entry without `forEach`.
    mutating func note(_ task: ReadTask, of entry: Int, _ reader: inout Reader) {
        needs.append(entry, needs: task.needs)
        if !task.captureReferences.isEmpty {
            captures.note(task.captureReferences, of: entry, needs: task.needs)
        }
        guard let traits = task.traits else {
            let (place, document) = (reader.values.tasks.entries[entry].value, reader.document)
            if document.value(of: place, for: "when") != nil
                || task.needs.isEmpty && document.value(of: place, for: "needs") != nil
            {
                captures.noteUnknownNeeds(of: entry)
            }
            return
        }
        secrets.note(traits.secrets, of: entry)
        reader.values.tasks.set(entry, isRequired: traits.isRequired, priority: traits.priority)
        let number = reader.values.tasks.tasks(of: entry).lowerBound
        note(traits, of: number, isFilledIn: task.captureReferences.isEmpty, &reader)
    }

    /// Notes a task that has no fault.
    mutating func note(
        _ own: ReadTask.Traits,
        of task: Int,
        isFilledIn: Bool,
        _ reader: inout Reader
    ) {
        destinations.check(own.paths, of: task, paths: paths.paths, &reader)
        traits.note(own, of: task)
        if let key = own.givenKey, isFilledIn { keys.note(key, of: task) }
    }

    /// Makes the graph of the tasks of a list, once; the rows of `chosen` are separate nodes.
    mutating func graph(of tasks: TaskList, chosen: [Need]) -> TaskGraph {
        var builder = TaskGraphBuilder()
        swap(&builder, &needs)
        return builder.graph(of: tasks, chosen: chosen)
    }

    /// Reports the faults that only the graph of all tasks shows.
    mutating func finish(_ graph: TaskGraph, _ reader: inout Reader) {
        let (document, tasks) = (reader.document, reader.values.tasks)
        let cycles = CycleCheck.faults(in: graph) {
            reader.name(of: $0)
        } place: { task in
            let entry = tasks.entry(of: task)
            let needs = document.value(of: entry.value, for: "needs")?.value
            let when = document.value(of: entry.value, for: "when")?.value
            return document.range(of: needs ?? when ?? entry.key)
        }
        for fault in cycles { reader.faults.log.add(fault) }
        for fault in captures.faults(in: graph, of: tasks, document) {
            reader.faults.log.add(fault)
        }
        VariableSection.warnOfUnused(&reader)
        for warning in keys.warnings(of: tasks, in: document) { reader.faults.log.add(warning) }
    }
}

/// Facts about all tasks of a job together, chosen or not.
struct JobTraits: Sendable {
    /// The attempts of the task that may have the most: 1 to 1,000.
    private(set) var mostAttempts = 1
    /// How many uploads want an idempotency key that the runner makes.
    private(set) var orderCount = 0
    /// The tasks of these uploads, ascending.
    private var orders: [Range<Int>] = []
    /// How many tasks each session has; none without a background session.
    private(set) var sessionTasks: [Int]
    /// Whether a server, or a captured value, names a file or folder that a task writes.
    private(set) var hasPeerNames = false
    /// Whether a task replaces a folder that an earlier run of it extracted.
    private(set) var replacesOwnFolders = false
    /// Whether a task forbids interfaces that its session does not.
    private(set) var tightensAccess = false
    /// The most connections at once of one task.
    private(set) var mostConnections = 1
    private let connectionsPerHost: [Int]

    /// The traits of no task of a job with some sessions.
    init(sessions: [SessionConfiguration], hasBackground: Bool) {
        sessionTasks = Array(repeating: 0, count: hasBackground ? sessions.count : 0)
        connectionsPerHost = sessions.map(\.httpMaximumConnectionsPerHost)
    }

    /// Adds a task with a higher number than the tasks before it.
    mutating func note(_ task: ReadTask.Traits, of number: Int) {
        mostAttempts = max(mostAttempts, task.attempts)
        if task.makesKey { noteOrder(number) }
        if !sessionTasks.isEmpty, let session = task.session { sessionTasks[session] += 1 }
        if task.hasPeerName { hasPeerNames = true }
        if task.replacesOwnFolder { replacesOwnFolders = true }
        if task.tightensAccess { tightensAccess = true }
        // FTP opens one for commands and one for the file; for SFTP, known hosts are a file.
        if task.isAtFileServer { mostConnections = max(mostConnections, 2) }
        guard task.connections > mostConnections else { return }
        let perHost = task.session.map { connectionsPerHost[$0] } ?? task.connections
        let reachable = perHost.multipliedSaturated(by: task.sources)
        mostConnections = max(mostConnections, min(task.connections, reachable))
    }
}

extension JobTraits {
    private mutating func noteOrder(_ number: Int) {
        orderCount += 1
        if let last = orders.last, last.upperBound == number {
            orders[orders.count - 1] = last.lowerBound..<number + 1
        } else {
            orders.append(number..<number + 1)
        }
    }

    /// Counts only the orders among some tasks, whose ranges ascend.
    mutating func keepOrders(of tasks: some Sequence<Range<Int>>) {
        orderCount = 0
        var rest = orders[...]
        for range in tasks {
            while let first = rest.first, first.upperBound <= range.lowerBound {
                rest.removeFirst()
            }
            for order in rest {
                guard order.lowerBound < range.upperBound else { break }
                orderCount += order.clamped(to: range).count
            }
        }
    }
}

/// Keeps which secrets the tasks of each entry use.
struct SecretNeeds {
    /// The entries with secrets, in file order.
    private var entries: [(entry: Int, secrets: SecretSet)] = []

    /// Notes the secrets of the tasks of an entry.
    mutating func note(_ secrets: SecretSet, of entry: Int) {
        if !secrets.isEmpty { entries.append((entry, secrets)) }
    }

    /// The secrets of the entries for which a condition holds.
    func secrets(where isChosen: (_ entry: Int) -> Bool) -> SecretSet {
        var needed = SecretSet()
        for (entry, secrets) in entries where isChosen(entry) { needed.formUnion(secrets) }
        return needed
    }
}

/// Finds tasks that need each other in a circle.
enum CycleCheck {
    /// The most tasks of one cycle that a message names.
    private static let longestCycle = 10

    /// An error for each circle of a graph; `name` gives the id of the tasks of a node, `place`
    /// the places of a task's needs.
    static func faults(
        in graph: TaskGraph,
        name: (Range<Int>) -> String,
        place: (_ task: Int) -> SourceRange
    ) -> [Diagnostic] {
        graph.cycles().compactMap { nodes in
            let cycle = nodes.map(graph.tasks).filter { !$0.isEmpty }
            guard let first = cycle.first else { return nil }
            let isLong = cycle.count > longestCycle
            let shown = isLong ? Array(cycle.prefix(longestCycle)) : cycle + [first]
            let ids = shown.map { "`\(name($0).excerpt)`" } + (isLong ? ["…"] : [])
            return Diagnostic(
                .error,
                JobCode.needsCycle,
                "circular dependency: \(ids.joined(separator: " needs "))",
                at: place(first.lowerBound)
            )
        }
    }
}

/// Reads the paths of any task again, with a reader of its own.
///
/// A class, so that passing it on copies no reader.
final class TaskPathsReader {
    private let reader: Reader
    private let taskReader: TaskReader

    /// - Parameters:
    ///   - reader: With everything resolved that tasks refer to.
    ///   - taskReader: The reader of the tasks.
    init(_ reader: Reader, _ taskReader: TaskReader) {
        self.reader = reader.forReading(reader.values.tasks)
        self.taskReader = taskReader
    }

    /// The paths of a task; those of `defaults` when its row is lost.
    func paths(of task: Int) -> TaskPaths {
        var again = reader
        return (taskReader.draft(of: task, with: &again) ?? taskReader.shared.defaults).paths
    }
}
