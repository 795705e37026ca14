/// Which URL of a download is asked next: its own, then each mirror in order, then again those that may have recovered.
struct MirrorRotation {
    /// What comes after a failed attempt.
    enum Step {
        /// A mirror that was not asked yet: at once.
        case untried
        /// A URL that was asked before and may answer now: after a wait.
        case again
        /// No URL is left that could answer.
        case none
    }

    /// The position of the URL that is asked: 0 is the task's own, others are mirrors.
    private(set) var current = 0
    /// Whether that URL has not been asked before.
    private(set) var isFirstTry = true
    private var tried = 1
    /// Whether asking that URL again would bring the same failure.
    private var isHopeless: [Bool]

    init(mirrors: Int) {
        isHopeless = Array(repeating: false, count: mirrors + 1)
    }

    /// How many mirrors were asked: those in front.
    var triedMirrors: Int { tried - 1 }

    /// How many URLs there are.
    var count: Int { isHopeless.count }

    /// Whether a mirror was not asked yet.
    var hasUntried: Bool { tried < count }

    /// Moves on from the URL that has failed; `canRecover` says whether it is worth asking once more.
    mutating func moveOn(canRecover: Bool) -> Step {
        if !canRecover { isHopeless[current] = true }
        if hasUntried {
            current = tried
            tried += 1
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
}
