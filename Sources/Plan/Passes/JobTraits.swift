internal import SystemKit
internal import TransferModel

/// Facts about all tasks of a job together, chosen or not.
struct JobTraits: Sendable {
    /// The attempts of the task that may have the most: 1 to 1,000.
    private(set) var mostAttempts = 1
    /// How many uploads want an idempotency key of the runner's making.
    private(set) var orderCount = 0
    /// How many tasks each session has; none without a background session.
    private(set) var sessionTasks: [Int]
    /// Whether a server, or a captured value, names a file or folder that a task writes.
    private(set) var hasPeerNames = false
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

    /// Adds a task.
    mutating func note(_ task: ReadTask.Traits) {
        mostAttempts = max(mostAttempts, task.attempts)
        if task.makesKey { orderCount += 1 }
        if !sessionTasks.isEmpty, let session = task.session { sessionTasks[session] += 1 }
        if task.hasPeerName { hasPeerNames = true }
        if task.tightensAccess { tightensAccess = true }
        // FTP opens one for commands and one for the file; for SFTP, known hosts are a file.
        if task.isAtFileServer { mostConnections = max(mostConnections, 2) }
        guard task.connections > mostConnections else { return }
        let perHost = task.session.map { connectionsPerHost[$0] } ?? task.connections
        let reachable = perHost.multipliedSaturated(by: task.sources)
        mostConnections = max(mostConnections, min(task.connections, reachable))
    }
}
