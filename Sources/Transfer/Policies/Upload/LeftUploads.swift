internal import SystemKit
package import TransferModel

/// The uploads that earlier runs of a job have left, for who gives them up for good.
package struct LeftUploads: Sendable {
    /// How long the servers are waited for, all of them together.
    package static let patience = Duration.seconds(5)
    /// How many servers are told at once.
    private static let mostConnections = 32

    private let store: UploadStore
    private let uploads: [(name: String, partial: PartialUpload)]

    /// Looks for records, which are this process's from then on.
    ///
    /// Nobody else finds or keeps any for as long as this lives.
    ///
    /// - Parameters:
    ///   - folder: That of the job's records.
    ///   - ids: Those of the tasks that are asked for; nil for all.
    package init(in folder: String, of ids: [String]? = nil) {
        store = UploadStore(folder: folder)
        uploads = store.findAll(of: ids)
    }

    /// The number of uploads that were found.
    package var count: Int { uploads.count }

    /// Tells the servers that nobody comes back (DELETE), and removes the records, whatever they
    /// answer.
    ///
    /// Without the credentials of the job's sessions: an upload's URL is all that it takes to know.
    /// Where a session has a say in the way to the server (a proxy, interfaces, TLS) that is not
    /// asked. Blocks for a few seconds at most.
    ///
    /// - Parameters:
    ///   - clock: Dates nothing that is kept.
    ///   - environment: The environment's variables, which may name proxies.
    ///   - patience: How long the servers are waited for, all of them together.
    /// - Returns: How many servers have said that they forget theirs, or knew nothing of it any
    ///   more.
    /// - Throws: Why there is no engine.
    package func giveUp(
        clock: RunClock,
        environment: (String) -> String?,
        patience: Duration = Self.patience
    ) throws(Engine.StartFailure) -> Int {
        var waiting = requests(within: patience)[...]
        // Nobody is to go on with one that is being given up.
        for upload in uploads { store.forget(named: upload.name) }
        guard !waiting.isEmpty else { return 0 }
        let inbox = Inbox<[AttemptEvent]>()
        let engine = try Engine(
            sessions: [SessionConfiguration(name: "default")],
            maximumConcurrentAttempts: Self.mostConnections,
            durability: .none,
            clock: clock,
            environment: environment,
            say: { _ in { true } },
            deliver: { inbox.push($0) }
        )
        var (running, forgotten) = (0, 0)
        while running > 0 || !waiting.isEmpty {
            let next = waiting.prefix(Self.mostConnections - running)
            waiting.removeFirst(next.count)
            running += next.count
            engine.start(Array(next))
            for case .finished(let result) in inbox.takeAll(until: nil).joined() {
                running -= 1
                if result.failure == nil { forgotten += 1 }
            }
        }
        engine.stop()
        return forgotten
    }

    private func requests(within patience: Duration) -> [AttemptRequest] {
        let deadline = MonotonicTime.now + patience
        var expectation = Expectation()
        expectation.statusCodes = [200...299, 404...404, 410...410]
        return uploads.filter(\.partial.isPlain).enumerated().map { key, upload in
            let version = HeaderField(
                name: UploadFields.versionName,
                value: "\(upload.partial.version.rawValue)"
            )
            return AttemptRequest(
                key: key,
                session: 0,
                number: 1,
                request: RequestSpec(method: "DELETE", url: upload.partial.url, headers: [version]),
                expectation: expectation,
                timeoutInterval: patience,
                deadline: deadline,
                reason: .uploadCancel
            )
        }
    }
}
