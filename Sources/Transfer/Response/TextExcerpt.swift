internal import TransferModel

/// The beginning of a text that a peer may have influenced, made harmless for messages.
enum TextExcerpt {
    private static let maximumScalars = 200

    /// At most 200 characters on one line, without controls; a final ellipsis means that there was
    /// more.
    ///
    /// `isCut` says that the source itself is cut. The ellipsis lets the redactor recognize a cut
    /// secret.
    static func of(_ source: String, isCut: Bool = false) -> String {
        let line = source.onOneLine(limit: maximumScalars)
        return line.isWhole && (!isCut || line.text.isEmpty) ? line.text : line.text + "…"
    }

    /// The excerpt of bytes, read as UTF-8.
    static func of(_ bytes: [UInt8]) -> String {
        // Enough for 200 characters of four bytes.
        let beginning = String(decoding: bytes.prefix(1 << 10), as: UTF8.self)
        return of(beginning, isCut: bytes.count > 1 << 10)
    }
}
