/// The version and the bounds of the conversation with programs.
package enum ConversationLimits {
    /// The only version so far.
    package static let version: Int64 = 1
    /// The longest line without its line feed, bytes.
    package static let longestLine = 64 << 10
    /// The most header fields of a message.
    package static let mostFields = 128
    /// The most bytes behind one `data` message.
    package static let largestPiece = 1 << 20
}
