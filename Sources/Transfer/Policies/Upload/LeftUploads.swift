internal import SystemKit
package import TransferModel

/// The uploads that earlier runs of a job left, which this run cancels at their servers.
package struct LeftUploads: Sendable {
    /// The time for all servers' answers together.
    package static let patience = Duration.seconds(5)
    /// The most servers that are asked at once.
    private static let mostConnections = 32

    private let store: UploadStore
    private let uploads: [(name: String, partial: PartialUpload)]

    /// Finds the records, which belong to this process while this value lives: no other process
    /// finds or keeps any.
    ///
    /// - Parameters:
    ///   - folder: The folder of the job's records.
    ///   - ids: The ids of the wanted tasks; nil for all.
    package init(in folder: String, of ids: [String]? = nil) {
        store = UploadStore(folder: folder)
        uploads = store.findAll(of: ids)
    }

    /// The number of uploads that were found.
    package var count: Int { uploads.count }

    /// Cancels the uploads at their servers (DELETE), and removes the records, whatever the servers
    /// answer.
    ///
    /// Sends no credentials of the job's sessions: the URL of an upload is enough. Skips servers
    /// that a session reaches by settings of its own (a proxy, interfaces, TLS). Blocks for a few
    /// seconds at most.
    ///
    /// - Parameters:
    ///   - clock: The clock for dates, none of which is kept.
    ///   - environment: The environment's variables, which may name proxies.
    ///   - patience: The time for all servers' answers together.
    /// - Returns: The number of servers that confirmed the cancellation or no longer knew the
    ///   upload.
    /// - Throws: `StartFailure` without an engine.
    package func giveUp(
        clock: RunClock,
        environment: (String) -> String?,
        patience: Duration = Self.patience
    ) throws(Engine.StartFailure) -> Int {
        var waiting = requests(within: patience)[...]
        // No later run may resume an upload that is being given up.
        for upload in uploads { store.forget(named: upload.name) }
        guard !waiting.isEmpty else { return 0 }
        let inbox = Inbox<[AttemptEvent]>()
        let engine = try Engine(
            sessions: [EngineSession(SessionConfiguration(name: "default"))],
            maximumConcurrentAttempts: Self.mostConnections,
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
            for case .finished(let ended) in inbox.takeAll(until: nil).joined() {
                running -= 1
                if ended.result.failure == nil { forgotten += 1 }
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
                deadline: deadline,
                reason: .uploadCancel
            )
        }
    }
}
