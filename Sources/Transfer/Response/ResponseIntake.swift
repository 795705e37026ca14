internal import TransferModel

/// What the running exchange has received of its response, and what was decided about it.
struct ResponseIntake {
    var parser = ResponseHeadParser()
    /// The final head; nil until it is whole.
    var head: ResponseHead?
    /// nil until the head is judged.
    var verdict: ResponseVerdict?
    var sink = ResponseSink()
    /// Whether the body is known to have come to its end.
    var isWhole = false
    /// nil when the body is stored as it is sent.
    var decoding: BodyDecoding?
    /// What is known of a body that libcurl throws away.
    var discarded = DiscardedBody()
    /// nil when nothing is expected of the body.
    var bodyCheck: BodyCheck?
    /// Whether the file that is there has the body of the stored response that is served, and
    /// stays.
    var keepsFile = false
    /// When a body that is in memory is to be kept for later runs; nil when it is not.
    var partTime: MonotonicTime?

    /// Makes room for the response of another exchange.
    mutating func reset() { self = ResponseIntake() }
}
