internal import CurlKit
internal import SystemKit
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
        guard !bytes.isEmpty, isText(head?.mimeType),
            let bytes = decoded(bytes, head)
        else { return nil }
        let text = TextExcerpt.of(String(decoding: bytes, as: UTF8.self), isCut: isCut)
        return text.isEmpty ? nil : "the server said: \(text)"
    }

    /// The beginning of the body without its content coding; nil where it cannot be read without that.
    private static func decoded(_ bytes: [UInt8], _ head: ResponseHead?) -> [UInt8]? {
        guard let head else { return bytes }
        guard let decoding = try? BodyDecoding.make(head) else {
            return head.fields.values(of: "content-encoding").isEmpty ? bytes : nil
        }
        var text: [UInt8] = []
        // The excerpt may end in the middle of the coded body: what came out until then is its beginning.
        _ = decoding.decoder.decode(bytes.span) { piece in
            text.append(piece.extracting(first: longest - text.count))
            return text.count < longest
        }
        return text
    }

    /// Bytes that a few coded ones may stand for.
    private static let longest = 1 << 10

    private static func isText(_ mimeType: String?) -> Bool {
        guard let mimeType else { return false }
        return mimeType.hasPrefix("text/") || mimeType.hasSuffix("json")
            || mimeType.hasSuffix("xml")
    }
}
