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
        /// It has its name; what is there is noted at that time. Next: `kept`.
        case kept(MonotonicTime)
    }

    var keeping = Keeping.never
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

    /// The position from which on the attempt has received the body; nil when it was from the first byte.
    var resumedFrom: Int64? { isRest ? start : nil }

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
