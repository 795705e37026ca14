/// A piece of the standard error of the program behind an attempt's body.
package struct ErrorText: Sendable, Hashable {
    /// The key of the attempt.
    package var key: Int
    /// The bytes as received; they may end within a line.
    package var bytes: [UInt8]
    /// Whether this is the last text of this run of the program.
    package var isLast: Bool

    /// Creates a piece of a program's standard error.
    package init(key: Int, bytes: [UInt8], isLast: Bool) {
        self.key = key
        self.bytes = bytes
        self.isLast = isLast
    }

    /// Hands a text on at once; the returned closure says whether the receiver has taken it by
    /// then.
    package typealias Handover = @Sendable (ErrorText) -> @Sendable () -> Bool
}
