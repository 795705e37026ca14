internal import TransferModel

/// How far an attempt goes on with a part, and which part it leaves.
///
/// A class of its own, because only attempts for larger files have one.
final class Resumption {
    /// Whether later runs find the part.
    enum Keeping {
        case never
        /// From that time on. Next: `kept`.
        case due(MonotonicTime)
        /// It has its name; what is there is noted at the first time, and synced as well from the
        /// second on. Next: `kept`.
        case kept(note: MonotonicTime, sync: MonotonicTime)
    }

    var keeping = Keeping.never
    /// How much of the part was handed over to be noted, and when.
    private(set) var noted = (size: Int64(0), time: MonotonicTime(nanoseconds: 0))
    /// What the running exchange asks for; nil when it asks for everything.
    var offer: ResumeOffer?
    /// What is there: left by an earlier attempt, or coming in now.
    var partial: PartialDownload?
    /// Where the body of the response begins, 0 for a whole one, and up to where it may go.
    private(set) var start: Int64 = 0
    private(set) var end: Int64 = .max
    /// Whether the answer to the offer was unusable, so that everything is to be asked for.
    var mustAskForAll = false

    init(_ partial: PartialDownload, _ offer: ResumeOffer? = nil) {
        self.partial = partial
        self.offer = offer
    }

    /// Whether the response is the rest of what is there.
    var isRest: Bool { start > 0 }

    /// The position from which on the attempt has received the body; nil when it was from the first
    /// byte.
    var resumedFrom: Int64? { isRest ? start : nil }

    /// When something is to be done about the part although nothing comes in; nil when nothing is.
    var nextTime: MonotonicTime? {
        switch keeping {
        case .never: nil
        case .due(let time): partial.map { $0.size > 0 ? time : nil } ?? nil
        case .kept(let time, _): partial.map { $0.size > noted.size ? time : nil } ?? nil
        }
    }

    /// The part has its name: what is there of it is vouched for already, or will be.
    func didKeep(vouched size: Int64, at now: MonotonicTime, syncIn wait: Duration) {
        noted = (size, now)
        keeping = .kept(note: now + Self.shortestInterval, sync: now + wait)
    }

    /// Takes up a note of the part if it is time for one.
    ///
    /// What is not noted is fetched again when the process is killed: no more than a tenth of what
    /// the attempt has brought, or of a second. Of a fast transfer only what is synced is noted, so
    /// that hashing does not slow it down.
    ///
    /// - Parameters:
    ///   - age: How long the attempt has lasted.
    ///   - now: The present.
    /// - Returns: Whether the part is to be synced, too; nil when nothing is to be done.
    func takeNote(age: Duration, at now: MonotonicTime) -> Bool? {
        guard case .kept(let note, let sync) = keeping, now >= note, let partial,
            case let count = partial.size - noted.size, count > 0
        else { return nil }
        let next = now + min(max(age / 10, Self.shortestInterval), Self.longestInterval)
        guard now < sync else {
            noted = (partial.size, now)
            keeping = .kept(note: next, sync: now + PartialKeeper.interval)
            return true
        }
        keeping = .kept(note: next, sync: sync)
        let affordable = (now - noted.time).nanoseconds / 1000 * Self.bytesPerMicrosecond
        guard count <= max(Self.leastAffordable, affordable) else { return nil }
        noted = (partial.size, now)
        return false
    }

    /// How often a part is noted at the most, and at the least.
    private static let shortestInterval = Duration.milliseconds(20)
    private static let longestInterval = Duration.seconds(1)
    /// How much is hashed for notes: so much at once, and of a faster transfer no more than so
    /// much.
    private static let leastAffordable: Int64 = 1 << 20
    private static let bytesPerMicrosecond: Int64 = 20

    /// The response is the rest of what is there, up to that position.
    func willReceiveRest(to end: Int64) {
        start = offer?.offset ?? 0
        self.end = end
    }

    /// Gives up what is there; everything is asked for.
    func startOver() {
        partial?.discard()
        partial = nil
        offer = nil
        keeping = .never
        mustAskForAll = false
        start = 0
        end = .max
    }
}
