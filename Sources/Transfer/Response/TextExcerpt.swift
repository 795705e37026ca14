internal import TransferModel

/// The beginning of a text that a peer had a hand in, made harmless for messages.
enum TextExcerpt {
    private static let maximumScalars = 200

    /// At most 200 characters on one line, without controls; an ellipsis at the end says that there
    /// was more.
    ///
    /// `isCut`: the source itself is only a beginning. The ellipsis is how half of a secret is
    /// known for one.
    static func of(_ source: String, isCut: Bool = false) -> String {
        let line = source.onOneLine(limit: maximumScalars)
        return line.isWhole && (!isCut || line.text.isEmpty) ? line.text : line.text + "…"
    }
}
