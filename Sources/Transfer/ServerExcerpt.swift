internal import TransferModel

/// The beginning of a refused response's body, made harmless for a message.
enum ServerExcerpt {
    /// `the server said: …` for a message.
    ///
    /// - Parameters:
    ///   - bytes: What there is of the body.
    ///   - isCut: Whether the body has more.
    ///   - head: The response's head.
    /// - Returns: Nil when the body is empty or no text.
    static func help(of bytes: [UInt8], isCut: Bool, head: ResponseHead?) -> String? {
        guard !bytes.isEmpty, isText(head?.mimeType) else { return nil }
        let text = TextExcerpt.of(String(decoding: bytes, as: UTF8.self), isCut: isCut)
        return text.isEmpty ? nil : "the server said: \(text)"
    }

    private static func isText(_ mimeType: String?) -> Bool {
        guard let mimeType else { return false }
        return mimeType.hasPrefix("text/") || mimeType.hasSuffix("json")
            || mimeType.hasSuffix("xml")
    }
}
