internal import TransferModel

/// The request with which a conversation begins that switches from HTTP to another protocol.
struct ConversationRequest {
    /// The request with the fields that sign it.
    var request: RequestSpec
    /// Its field lines as for libcurl, with those of the session.
    var lines: [String]
    /// The value of `Authorization`; nil for none.
    var authorization: String?
    /// The longest silence; nil for no limit.
    var idleLimit: Duration?
}

/// The response to such a request, so far.
enum UpgradeProgress {
    /// The head is incomplete.
    case reading
    /// The whole head, whose status the task expects.
    case accepted(ResponseHead)
    /// The response is one like any other, or breaks the rules of HTTP.
    case other
}
