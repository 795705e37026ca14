internal import CurlKit
internal import TransferModel

/// The limits of bandwidth on one engine thread: its limited attempts, and whose turn comes when.
final class EnginePacing {
    /// By session; nil for a session without a limit.
    private let pacers: [SessionPacer?]
    private var clients: [Int: PacedClient] = [:]

    /// nil when no session has a limit.
    init?(_ sessions: [EngineContext.Session]) {
        pacers = sessions.map { $0.bandwidth.map(SessionPacer.init) }
        guard pacers.contains(where: { $0 != nil }) else { return nil }
    }

    /// Takes in an attempt that begins, if its session has a limit; `client` receives its events.
    func begin(_ exchange: Exchange, _ client: any EasyHandleClient) {
        guard let pacer = pacers[exchange.request.session] else { return }
        let key = exchange.request.key
        let client = PacedClient(exchange, behind: client, ExchangePace(pacer, key: key))
        clients[key] = client
        exchange.handle.client = client
    }

    /// Changes the request of an exchange so that its bytes can be counted.
    ///
    /// - Returns: Whether the exchange must wait before it is handed to libcurl.
    func holds(_ request: EasyRequest, of key: Int, _ now: MonotonicTime) -> Bool {
        clients[key]?.holds(request, now) ?? false
    }

    /// Counts the bytes that a conversation has moved in a turn; returns whether it is paused.
    func didConverse(_ key: Int, _ now: MonotonicTime) -> Bool {
        clients[key]?.didConverse(now) ?? false
    }

    /// An exchange has ended: it no longer waits, and leaves its reserved bytes to the others.
    func endExchange(of key: Int, _ now: MonotonicTime) { clients[key]?.end(now) }

    /// Forgets an attempt that has ended.
    func end(_ key: Int, _ now: MonotonicTime) {
        clients.removeValue(forKey: key)?.end(now)
    }

    /// Whether an attempt waits for its turn.
    func isWaiting(_ key: Int) -> Bool { clients[key]?.pace.isWaiting ?? false }

    /// When `takeDue` has something to do; the largest time for never.
    var nextTime: MonotonicTime {
        var next = MonotonicTime(nanoseconds: .max)
        for case let pacer? in pacers { next = min(next, pacer.nextTime) }
        return next
    }

    /// The attempts whose turn has come.
    func takeDue(_ now: MonotonicTime) -> [PacedClient] {
        pacers.flatMap { $0?.takeDue(now) ?? [] }.compactMap { clients[$0] }
    }

    /// Forgives an exchange the silence of a connection on which another one was paused.
    func excuse(_ exchange: Exchange, _ now: MonotonicTime) {
        guard exchange.handle.hasStreams,
            let time = pacers[exchange.request.session]?.lastWait(now)
        else { return }
        exchange.watch.excuse(until: time)
    }
}
