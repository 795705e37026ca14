package import Cookies
internal import CurlKit
package import HTTPCache
internal import NetworkPath
internal import SystemKit
package import TransferModel

/// The properties that all threads of one engine share; every attempt can reach them.
///
/// A reference, so that an attempt keeps all of it at the price of one count.
final class EngineContext: Sendable {
    /// A session's configuration and the objects made for the session before the engine started.
    struct Session: Sendable {
        let configuration: SessionConfiguration
        /// The newest version of HTTP that requests offer over TLS.
        let secureProtocol: HTTPProtocol
        /// Which requests and bodies may use streams with the loaded libcurl.
        let streamTrust: StreamTrust
        /// nil when the session neither sends nor keeps cookies.
        let cookieJar: CookieJar?
        /// nil when the session has no cache; several sessions may share one.
        let cache: HTTPCache?
        /// nil when the session connects directly.
        let routes: ProxyRoutes?
        /// nil when no script chooses the session's proxies.
        let script: SessionScript?
        /// nil when the session has no limit of bandwidth.
        let bandwidth: BandwidthLimit?
        /// nil when the session has no limit of requests.
        let requests: RequestTurns?
        /// The roots for a session without a `caFile`.
        let roots: RootsEnvironment
    }

    let sessions: [Session]
    /// Removes stored responses that a request may have changed; nil when no session has a cache.
    let invalidation: Invalidation?
    /// The number of connections that each thread keeps.
    let maximumConcurrentAttempts: Int
    /// nil when no session has a network policy.
    let network: NetworkMonitor?
    let clock: RunClock
    let publisher: Publisher
    let files: EngineFiles
    /// Receives the standard error of programs.
    let say: ErrorText.Handover
    /// Receives results in batches.
    let deliver: @Sendable ([AttemptEvent]) -> Void

    init(
        sessions: [Session],
        invalidation: Invalidation?,
        maximumConcurrentAttempts: Int,
        network: NetworkMonitor?,
        clock: RunClock,
        publisher: Publisher,
        files: EngineFiles,
        say: @escaping ErrorText.Handover,
        deliver: @escaping @Sendable ([AttemptEvent]) -> Void
    ) {
        self.sessions = sessions
        self.invalidation = invalidation
        self.maximumConcurrentAttempts = maximumConcurrentAttempts
        self.network = network
        self.clock = clock
        self.publisher = publisher
        self.files = files
        self.say = say
        self.deliver = deliver
    }

    /// The current wall-clock time: stored responses also age while the machine sleeps, unlike the
    /// run's clock.
    var wallTime: Timestamp {
        let wall = Timestamp(microseconds: Clock.wallNanoseconds() / 1000)
        return max(clock.timestamp(of: .now), wall)
    }
}

/// A session of an engine, and the objects that the runner has made for it.
package struct EngineSession {
    let configuration: SessionConfiguration
    let cookieJar: CookieJar?
    let cache: HTTPCache?
    let script: SessionScript?

    /// A session; nil for what it does not have.
    package init(
        _ configuration: SessionConfiguration,
        cookieJar: CookieJar? = nil,
        cache: HTTPCache? = nil,
        script: SessionScript? = nil
    ) {
        self.configuration = configuration
        self.cookieJar = cookieJar
        self.cache = cache
        self.script = script
    }
}

/// The rules and records of the files that the attempts of an engine read and write.
package struct EngineFiles: Sendable {
    /// The data to sync before a file is published.
    package var durability = Durability.none
    /// Keeps the records by which later runs resume uploads; nil when no session keeps any.
    package var uploads: UploadStore?
    /// Assigns files to tasks; nil when the plan alone decides that.
    package var claims: DestinationClaims?
    /// The files that the job wrote under names of peers; nil when nothing keeps them.
    package var written: (any WrittenFileRecord)?
    /// Whether a text from a server may become the name of a file; called on the engine's threads.
    package var mayName: @Sendable (String) -> Bool = { _ in true }

    /// Files that are not synced, and of which nothing is kept.
    package init() {}
}
