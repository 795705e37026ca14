internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The exchange's facts and records for its conversation.
protocol ConversationHost: AnyObject {
    /// How the conversation treats time.
    var setting: ConversationSetting { get }
    /// How far the exchange has come, for the failure that ends it.
    var stage: ExchangeStage { get }
    /// Whether TLS must announce its end (close_notify).
    var requiresCloseNotify: Bool { get }
    /// Whether the task has a file for the bytes of `writeFile`.
    var hasFile: Bool { get }

    /// Prepares TLS over the open connection, by the rules of the session.
    func beginSecurity() throws(TransferFailure) -> StreamSecurity
    /// Prepares for the file of the task, if it has one.
    func openFile() throws(SystemError)
    /// Adds bytes to the task's file.
    func writeFile(_ bytes: Span<UInt8>) throws(SystemError)
}

/// The exchange's facts and records for a conversation that begins with a request of HTTP.
protocol UpgradeHost: ConversationHost {
    /// The request that switches from HTTP to another protocol, before it is sent.
    var upgradeSpec: UpgradeSpec { get }
    /// Notes that the upgrade request is sent, with its head.
    func didSendUpgrade(_ head: Span<UInt8>, at now: MonotonicTime)
    /// Reads a line of the response to the upgrade request.
    func readUpgrade(_ line: Span<UInt8>) -> UpgradeProgress
    /// Notes that the accepted response breaks a rule of the protocol to switch to.
    func refuseUpgrade(_ detail: String)
    /// Keeps the beginning of the body of a response that switches to no other protocol.
    func keepExcerpt(_ bytes: Span<UInt8>)
}

/// A request that switches protocols, as the exchange has it.
struct UpgradeSpec {
    /// The request, with the fields that sign it.
    var request: RequestSpec
    /// The field lines of the request and of the session, as libcurl takes them.
    var lines: [String]
    /// The value of `Authorization`; nil for none.
    var authorization: String?
}

/// The response to a request that switches protocols, so far.
enum UpgradeProgress {
    /// The head is incomplete.
    case reading
    /// The whole head, whose status the task expects.
    case accepted(ResponseHead)
    /// The response is one like any other, or breaks the rules of HTTP.
    case other
}
