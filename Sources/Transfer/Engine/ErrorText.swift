/// What the program behind an attempt's body has written to its standard error.
package struct ErrorText: Sendable, Hashable {
    /// Of the attempt.
    package var key: Int
    /// As they came; they may end within a line.
    package var bytes: [UInt8]
    /// Whether nothing more comes of this run of the program.
    package var isLast: Bool

    /// Creates a piece of a program's standard error.
    package init(key: Int, bytes: [UInt8], isLast: Bool) {
        self.key = key
        self.bytes = bytes
        self.isLast = isLast
    }

    /// Hands a text on at once; the answer says later whether somebody has taken it by then.
    package typealias Handover = @Sendable (ErrorText) -> @Sendable () -> Bool
}
