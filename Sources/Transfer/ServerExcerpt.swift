internal import TransferModel

/// The beginning of a refused response's body, made harmless for a message.
enum ServerExcerpt {
    /// `the server said: …`, or nil when the body is empty or no text.
    static func help(of bytes: [UInt8], head: ResponseHead?) -> String? {
        guard !bytes.isEmpty, isText(head?.mimeType) else { return nil }
        let text = TextExcerpt.of(String(decoding: bytes, as: UTF8.self))
        return text.isEmpty ? nil : "the server said: \(text)"
    }

    private static func isText(_ mimeType: String?) -> Bool {
        guard let mimeType else { return false }
        return mimeType.hasPrefix("text/") || mimeType.hasSuffix("json")
            || mimeType.hasSuffix("xml")
    }
}
