/// Decides the step after each exchange of an attempt; the only place with the order of the steps
/// that follow one.
///
/// A value without I/O: `Attempt` carries its steps out.
struct AttemptMachine {
    /// How the same request leaves once more.
    enum Repetition: Equatable {
        /// Over a new connection, because libcurl has given it up.
        case givenUp
        /// Over HTTP/1.1, because nothing vouches for the end of the body.
        case unvouched
        /// Without a range.
        case wholeFile
        /// For the rest of the file, by another condition.
        case rest
        /// Without waiting for an answer to its head.
        case unasked
    }

    /// Whether the response is complete.
    var isComplete = false
    /// Whether a proxy's question has ended the exchange.
    var isAsked = false
    /// Whether libcurl has given up a request that may leave once more.
    var isGivenUp = false
    /// Whether nothing vouches for the end of the body, which was not read.
    var isUnvouched = false
    /// Whether the cache has not decided yet.
    var isCaching = false
    var hasFailed: Bool
    /// The request for a file that follows, because the response cannot be used; nil for none.
    let repetition: Resumption.Repetition?
    /// Whether the request has given an upload up: no failure of it counts.
    let isGivingUp: Bool
    /// nil without a judged head.
    let verdict: ResponseVerdict?

    /// The next step.
    var step: AttemptStep {
        if isAsked { return .answerProxy }
        if isGivenUp { return .again(.givenUp) }
        if isUnvouched, !hasFailed { return .again(.unvouched) }
        if isCaching { return .endCaching }
        if hasFailed { return .finish }
        switch repetition {
        case .wholeFile: return .again(.wholeFile)
        case .rest: return .again(.rest)
        case nil: break
        }
        switch verdict {
        case .redirect: return .follow
        case .challenge(let answer): return .answer(answer)
        case .sendUnasked: return .again(.unasked)
        case .proceed: return isGivingUp ? .didCancelUpload : .proceed
        case nil where isGivingUp: return .didCancelUpload
        case .accept, .refuse, .stored, nil: return .finish
        }
    }
}

/// The step of an attempt after the end of an exchange.
enum AttemptStep: Equatable {
    /// The exchange that the proxy's question leads to.
    case answerProxy
    case again(AttemptMachine.Repetition)
    /// The cache decides; without an answer from it, the steps below follow.
    case endCaching
    /// The step after the end of an upload that was given up.
    case didCancelUpload
    case follow
    case answer(Authentication.Answer)
    /// The next leg of an upload.
    case proceed
    case finish
}
