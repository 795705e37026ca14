import Scheduler
import SystemKit
import Transfer
import TransferModel

/// Fetches a proxy auto-configuration script, directly and with the session's trust.
struct ScriptDownload {
    private let url: HTTPURL
    private let session: SessionConfiguration

    init(of url: HTTPURL, for session: SessionConfiguration) {
        self.url = url
        var own = SessionConfiguration(name: session.name)
        own.kind = .ephemeral
        own.tls = session.tls
        own.proxy = .direct
        own.urlCache = URLCacheRule.none
        self.session = own
    }

    /// Fetches the script into a folder.
    ///
    /// - Returns: The path of its file.
    /// - Throws: `TransferFailure`, or `SystemError` without an engine.
    func fetch(to folder: ScratchFolder, within limit: Duration) throws -> String {
        let inbox = Inbox<AttemptEvent>()
        let engine: Engine
        do {
            engine = try Engine(
                sessions: [session],
                maximumConcurrentAttempts: 1,
                durability: .none,
                clock: RunClock.now(),
                environment: { _ in nil },
                say: { _ in { true } },
                deliver: { events in for event in events { _ = inbox.push(event) } }
            )
        } catch {
            throw SystemError(errno: 5, operation: "fetch", subject: error.message)
        }
        defer { engine.stop() }
        let path = folder.path + "/proxy.pac"
        let now = MonotonicTime.present()
        var request = AttemptRequest(
            key: 0,
            session: 0,
            number: 1,
            request: RequestSpec(method: "GET", url: url, headers: [])
        )
        request.sink = .file(.init(path: path, displayPath: "proxy.pac"))
        request.deadline = now + limit
        request.expectation.maximumSize = Int64(ProxyScript.largestSize)
        engine.start([request])
        let end = now + limit + .seconds(1)
        while true {
            let events = inbox.takeAll(until: end.nanoseconds)
            for case .finished(let ended) in events {
                if let failure = ended.result.failure { throw failure }
                return path
            }
            if events.isEmpty {
                throw TransferFailure(kind: .timeout, phase: .receive, detail: "it takes too long")
            }
        }
    }
}
