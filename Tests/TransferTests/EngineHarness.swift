import Cookies
import HTTPCache
import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// An engine whose results a test waits for.
final class EngineHarness {
    let engine: Engine
    /// Turns this process's readings into the dates of results.
    let clock: RunClock

    /// The engine's events, in their order.
    private enum Event {
        case said(ErrorText)
        case attempts([AttemptEvent])
    }

    private let inbox = Inbox<Event>()
    /// The output of programs by the end of their attempts.
    private(set) var said: [ErrorText] = []

    init(
        _ configure: (inout SessionConfiguration) -> Void = { _ in },
        maximumConcurrentAttempts: Int = 16,
        durability: Durability = .none,
        claims: DestinationClaims? = nil,
        written: (any WrittenFileRecord)? = nil,
        cache: HTTPCache? = nil,
        stores: [any CacheStore] = [],
        mayName: @escaping @Sendable (String) -> Bool = { _ in true },
        proxy: String? = nil,
        script: SessionScript? = nil
    ) throws {
        var session = SessionConfiguration(name: "test")
        configure(&session)
        let inbox = inbox
        let nanoseconds = Clock.monotonicNanoseconds()
        clock = RunClock(
            wall: Timestamp(microseconds: Clock.wallNanoseconds() / 1000),
            monotonic: MonotonicTime(nanoseconds: nanoseconds),
            maximumSkewMicroseconds: 0
        )
        var files = EngineFiles()
        files.durability = durability
        files.claims = claims
        files.written = written
        files.mayName = mayName
        engine = try Engine(
            sessions: [
                EngineSession(session, cookieJar: CookieJar(session), cache: cache, script: script)
            ],
            invalidation: Invalidation(
                in: cache.map { [$0] } ?? [],
                and: stores,
                fingerprint: { Engine.sha256(of: $0) }
            ),
            maximumConcurrentAttempts: maximumConcurrentAttempts,
            files: files,
            clock: clock,
            environment: { ["http_proxy", "https_proxy"].contains($0) ? proxy : nil },
            say: { text in
                let turn = inbox.push(.said(text))
                return { inbox.isTaken(turn) }
            },
            deliver: { inbox.push(.attempts($0)) }
        )
    }

    deinit { engine.stop() }

    /// Starts the attempts and waits until each has finished; the results come in the order of
    /// their keys.
    func run(_ attempts: [AttemptRequest]) throws -> [AttemptResult] {
        engine.start(attempts)
        return try results(attempts.count)
    }

    /// Starts one attempt and waits for its end.
    func run(_ attempt: AttemptRequest) throws -> AttemptResult {
        try #require(try run([attempt]).first)
    }

    /// Waits for so many results.
    func results(_ count: Int) throws -> [AttemptResult] {
        var results: [AttemptResult] = []
        let guardTime = Clock.monotonicNanoseconds() + 60_000_000_000
        while results.count < count {
            let batch = inbox.takeAll(until: guardTime)
            try #require(!batch.isEmpty, "the engine delivered nothing for a minute")
            for event in batch {
                switch event {
                case .said(let text): said.append(text)
                case .attempts(let events):
                    for case .finished(let ended) in events { results.append(ended.result) }
                }
            }
        }
        return results.sorted { $0.key < $1.key }
    }
}

extension AttemptRequest {
    /// An attempt with the cache that keeps the body in a file.
    static func cached(
        _ url: String,
        method: String,
        headers: [HeaderField],
        as path: String,
        _ change: (inout AttemptRequest) -> Void
    ) throws -> AttemptRequest {
        try .to(url, method: method, headers: headers) {
            $0.cachePolicy = .useProtocolCachePolicy
            $0.sink = .file(.init(path: path, displayPath: "out"))
            change(&$0)
        }
    }

    /// An attempt with a method and URL, as most tests need it.
    static func to(
        _ url: String,
        key: Int = 0,
        method: String = "GET",
        headers: [HeaderField] = [],
        body: BodySource? = nil,
        _ change: (inout AttemptRequest) -> Void = { _ in }
    ) throws -> AttemptRequest {
        var attempt = AttemptRequest(
            key: key,
            session: 0,
            number: 1,
            request: RequestSpec(method: method, url: try TransferURL(url), headers: headers),
            body: body
        )
        change(&attempt)
        return attempt
    }

    /// A download to a path.
    static func download(
        _ url: String,
        to path: String,
        key: Int = 0,
        ifExists: TaskSpec.IfExists = .replace,
        checksum: TaskSpec.ExpectedChecksum? = nil
    ) throws -> AttemptRequest {
        try .to(url, key: key) {
            $0.sink = .file(
                .init(path: path, displayPath: "out", ifExists: ifExists, checksum: checksum)
            )
        }
    }
}

/// NTLM's second message with an empty target and flags for Unicode and NTLM ([MS-NLMP] 2.2.1.2).
let ntlmChallenge = "TlRMTVNTUAACAAAAAAAAADAAAAABAoEAASNFZ4mrze8AAAAAAAAAAAAAAAAwAAAA"
