/// The reason for which the machine sends nothing.
package enum SendRefusal: Error, Sendable, Hashable {
    /// A Close frame was sent or received: no message, ping or second Close follows (RFC 6455
    /// §5.5.1).
    case isClosing
    /// The connection has ended or failed.
    case hasEnded
    /// The last fragment of another message was not sent (§5.4).
    case messageIsUnfinished
    /// Text is not UTF-8 (§5.6).
    case textNotUTF8
    /// A ping's payload has this many bytes, more than 125 (§5.5).
    case longPing(Int)
    /// This many pings have no answer, the most that the machine remembers.
    case manyPings(Int)
    /// No frame may have the close code (§7.4).
    case closeCode(CloseCode)
    /// A close reason has no code before it (§5.5.1).
    case reasonWithoutCode
    /// A close reason has this many bytes, more than 123 (§5.5).
    case longReason(Int)

    /// The refusal as a sentence for a failure.
    package var message: String {
        switch self {
        case .isClosing: "the connection is being closed"
        case .hasEnded: "the connection has ended"
        case .messageIsUnfinished: "the message before it is not finished"
        case .textNotUTF8: "the text is not UTF-8"
        case .longPing(let count): "the ping has \(count) bytes, more than 125"
        case .manyPings(let count): "the server has not answered \(count) pings"
        case .closeCode(let code): "no close frame may have the code \(code.rawValue)"
        case .reasonWithoutCode: "a close reason needs a code"
        case .longReason(let count): "the close reason has \(count) bytes, more than 123"
        }
    }
}
