import TransferModel

/// Which URL of a download is asked next: its own, then each mirror in order, then again the URLs
/// that may have recovered.
struct MirrorRotation {
    /// The next step after a failed attempt.
    enum Step {
        /// A mirror that was not asked yet: at once.
        case untried
        /// A URL that was asked before and may answer now: after a wait.
        case again
        /// No URL is left that could answer.
        case none
    }

    /// The last failure of a URL that may answer another request; nil without one.
    var recoverable: TransferFailure?
    /// The last failure of a URL to which no permitted interface leads; nil without one in this
    /// round.
    var unreachable: TransferFailure?
    /// The position of the URL that is asked: 0 is the task's own, others are mirrors.
    private(set) var current = 0
    /// Whether that URL has not been asked before.
    private(set) var isFirstTry = true
    private var tried = 1
    /// Whether another request for that URL would fail in the same way.
    private var isHopeless: [Bool]
    /// Whether no permitted interface leads to that URL.
    private var isCutOff: [Bool]

    init(mirrors: Int) {
        isHopeless = Array(repeating: false, count: mirrors + 1)
        isCutOff = isHopeless
    }

    /// The number of passed mirrors: the first ones.
    var triedMirrors: Int { tried - 1 }

    /// How many URLs there are.
    var count: Int { isHopeless.count }

    /// Whether a mirror is left to be asked.
    var hasUntried: Bool { isHopeless[tried...].contains(false) }

    /// Moves on from the URL that has failed.
    ///
    /// - Parameters:
    ///   - canRecover: Whether it is worth asking once more.
    ///   - isCutOff: Whether there was no way to it.
    /// - Returns: The next step, with its mirror as the current one.
    mutating func moveOn(canRecover: Bool, isCutOff: Bool = false) -> Step {
        if !canRecover { isHopeless[current] = true }
        self.isCutOff[current] = isCutOff
        while tried < count {
            (current, tried) = (tried, tried + 1)
            guard !isHopeless[current] else { continue }
            isFirstTry = true
            return .untried
        }
        isFirstTry = false
        for step in 1...count where !isHopeless[(current + step) % count] {
            current = (current + step) % count
            return .again
        }
        return .none
    }

    /// Chooses the first URL that has not refused; mirrors that were not asked yet stay so.
    mutating func returnToFirst() {
        current = isHopeless.firstIndex(of: false) ?? current
        isFirstTry = false
    }

    /// Asks only the unreachable URLs again.
    mutating func strikeOffReached() {
        for position in isHopeless.indices where !isCutOff[position] { isHopeless[position] = true }
    }

    /// Begins a new round with the unreachable URLs and the URLs that may answer; no URL that
    /// refused is asked again.
    mutating func restart() {
        unreachable = nil
        for position in isHopeless.indices where isCutOff[position] {
            (isHopeless[position], isCutOff[position]) = (false, false)
        }
        current = isHopeless.firstIndex(of: false) ?? 0
        (tried, isFirstTry) = (current + 1, false)
    }
}
