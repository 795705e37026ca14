internal import TransferModel

/// The received part of the current exchange's response, and the decisions about it.
struct ResponseIntake {
    var parser = ResponseHeadParser()
    /// The final head; nil until it is complete.
    var head: ResponseHead?
    /// nil until the head is judged.
    var verdict: ResponseVerdict?
    var sink = ResponseSink()
    /// The destination of the body, with the name that the server gave it; nil for no file.
    var destination: TaskSpec.Destination?
    /// Whether the file that the server named exists and stays, so that the body is not wanted.
    var isUnchanged = false
    /// Whether the attempt kept libcurl from another request of its own: the received part of this
    /// response stays.
    var isCutOff = false
    /// Whether the server closed the TLS connection without an announcement, which is an error to
    /// libcurl.
    var hasUnannouncedEnd = false
    /// Whether the body is known to have ended.
    var isWhole = false
    /// nil when the body is stored as sent.
    var decoding: BodyDecoding?
    /// The progress of a body that libcurl discards.
    var discarded = DiscardedBody()
    /// nil without expectations for the body.
    var bodyCheck: BodyCheck?
    /// Whether the existing file already has the body of the stored response and stays.
    var keepsFile = false
    /// When to keep a body in memory for later runs; nil for never.
    var partTime: MonotonicTime?

    /// Prepares for the response of another exchange.
    mutating func reset() { self = ResponseIntake() }
}
