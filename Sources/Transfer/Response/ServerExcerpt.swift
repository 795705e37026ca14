internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The beginning of a refused response's body, made harmless for a message.
enum ServerExcerpt {
    /// `the server said: …` for a message.
    ///
    /// - Parameters:
    ///   - bytes: What there is of the body.
    ///   - isCut: Whether the body has, or may have, more.
    ///   - head: The response's head.
    /// - Returns: Nil when the body is empty or no text.
    static func help(of bytes: [UInt8], isCut: Bool, head: ResponseHead?) -> String? {
        guard !bytes.isEmpty, isText(head?.mimeType),
            let body = decoded(bytes, isCut: isCut, head)
        else { return nil }
        let text = TextExcerpt.of(text(of: body.bytes, isCut: body.isCut), isCut: body.isCut)
        return text.isEmpty ? nil : "the server said: \(text)"
    }

    /// The beginning of the body without its content coding, and whether there may be more of it;
    /// nil where the coding cannot be undone.
    ///
    /// An excerpt that ends too early must say so: the redactor knows half of a secret by the
    /// ellipsis behind it.
    private static func decoded(
        _ bytes: [UInt8],
        isCut: Bool,
        _ head: ResponseHead?
    ) -> (bytes: [UInt8], isCut: Bool)? {
        guard let head else { return (bytes, isCut) }
        let decoding: BodyDecoding?
        do throws(BodyDecoding.Fault) {
            decoding = try BodyDecoding.make(head)
        } catch {
            // The field may be wrong, as `Content-Encoding: UTF-8` is, and the body plain.
            return isPlainText(bytes) ? (bytes, isCut) : nil
        }
        guard let decoding else { return (bytes, isCut) }
        var text: [UInt8] = []
        // What comes out until the excerpt ends is the beginning of the body.
        _ = decoding.decoder.decode(bytes.span) { piece in
            text.append(piece.extracting(first: longest - text.count))
            return text.count < longest
        }
        return (text, text.count >= longest || !decoding.decoder.hasEnded)
    }

    /// The text of a body: UTF-8 where it is valid, otherwise ISO 8859-1, in which every byte is a
    /// character.
    ///
    /// Replacement characters in the place of bytes would hide a secret from the redactor.
    private static func text(of bytes: [UInt8], isCut: Bool) -> String {
        let whole = isCut ? bytes.dropLast(lengthOfOpenCharacter(bytes)) : bytes[...]
        if let text = String(validating: whole, as: UTF8.self) { return text }
        var text = ""
        for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }

    /// How many bytes at the end begin a character of UTF-8 that is not whole.
    private static func lengthOfOpenCharacter(_ bytes: [UInt8]) -> Int {
        // A character has three continuation bytes at most.
        guard let lead = bytes.suffix(3).lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return 0 }
        let length =
            switch bytes[lead] {
            case 0xF0...0xF7: 4
            case 0xE0...0xEF: 3
            case 0xC0...0xDF: 2
            default: 1
            }
        let count = bytes.count - lead
        return count < length ? count : 0
    }

    private static func isPlainText(_ bytes: [UInt8]) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
            && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (9...13).contains($0) }
    }

    /// Decoded bytes that are looked at: a few coded ones may stand for many.
    private static let longest = 1 << 10

    private static func isText(_ mimeType: String?) -> Bool {
        guard let mimeType else { return false }
        return mimeType.hasPrefix("text/") || mimeType.hasSuffix("json")
            || mimeType.hasSuffix("xml")
    }
}
