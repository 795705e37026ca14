internal import CurlKit
internal import TransferModel

/// The limits of bandwidth on one engine thread, and whose turn comes when.
final class EnginePacing {
    /// By session; nil for a session without a limit.
    private let pacers: [SessionPacer?]

    /// nil when no session has a limit.
    init?(_ sessions: [EngineContext.Session]) {
        pacers = sessions.map { $0.bandwidth.map(SessionPacer.init) }
        guard pacers.contains(where: { $0 != nil }) else { return nil }
    }

    /// The pace of an attempt that begins; nil for a session without a limit.
    func pace(of key: Int, session: Int) -> ExchangePace? {
        pacers[session].map { ExchangePace($0, key: key) }
    }

    /// When `takeDue` has something to do; the largest time for never.
    var nextTime: MonotonicTime {
        var next = MonotonicTime(nanoseconds: .max)
        for case let pacer? in pacers { next = min(next, pacer.nextTime) }
        return next
    }

    /// The attempts whose turn has come.
    func takeDue(_ now: MonotonicTime) -> [Int] { pacers.flatMap { $0?.takeDue(now) ?? [] } }

    /// Forgives an exchange the silence of a connection on which another one was paused.
    func excuse(_ exchange: Exchange, _ now: MonotonicTime) {
        guard exchange.handle.hasStreams,
            let time = pacers[exchange.request.session]?.lastWait(now)
        else { return }
        exchange.watch.excuse(until: time)
    }
}
