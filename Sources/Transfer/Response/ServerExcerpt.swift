internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The beginning of a rejected response's body, made harmless for a message.
enum ServerExcerpt {
    /// `the server said: …` for a message.
    ///
    /// - Parameters:
    ///   - bytes: The kept part of the body.
    ///   - isCut: Whether the body has or may have more.
    ///   - head: The response's head.
    /// - Returns: Nil for an empty or binary body.
    static func help(of bytes: [UInt8], isCut: Bool, head: ResponseHead?) -> String? {
        guard !bytes.isEmpty, isText(head?.mimeType),
            let body = decoded(bytes, isCut: isCut, head)
        else { return nil }
        return help(ofDecoded: body.bytes, isCut: body.isCut)
    }

    /// `the server said: …` for the beginning of a decoded body with that MIME type; nil for an
    /// empty or binary body.
    static func help(ofDecoded body: [UInt8], mimeType: String?) -> String? {
        guard isText(mimeType) else { return nil }
        return help(ofDecoded: Array(body.prefix(longest)), isCut: body.count > longest)
    }

    private static func help(ofDecoded bytes: [UInt8], isCut: Bool) -> String? {
        let text = TextExcerpt.of(text(of: bytes, isCut: isCut), isCut: isCut)
        return text.isEmpty ? nil : "the server said: \(text)"
    }

    /// The decoded beginning of the body, and whether there may be more; nil if it cannot be
    /// decoded.
    ///
    /// A cut excerpt must end with an ellipsis, by which the redactor recognizes a cut secret.
    private static func decoded(
        _ bytes: [UInt8],
        isCut: Bool,
        _ head: ResponseHead?
    ) -> (bytes: [UInt8], isCut: Bool)? {
        guard let head else { return (bytes, isCut) }
        let decoding: BodyDecoding?
        do throws(DecodingFault) {
            decoding = try BodyDecoding.make(head)
        } catch {
            // The field may be wrong, such as `Content-Encoding: UTF-8`, and the body plain.
            return isPlainText(bytes) ? (bytes, isCut) : nil
        }
        guard let decoding else { return (bytes, isCut) }
        var text: [UInt8] = []
        // The bytes decoded from the excerpt are the beginning of the body.
        _ = decoding.decoder.decode(bytes.span) { piece in
            text.append(piece.extracting(first: longest - text.count))
            return text.count < longest
        }
        return (text, text.count >= longest || !decoding.decoder.hasEnded)
    }

    /// The text of a body: UTF-8 if valid, otherwise ISO 8859-1, in which every byte is a
    /// character.
    ///
    /// Replacement characters would hide a secret from the redactor.
    private static func text(of bytes: [UInt8], isCut: Bool) -> String {
        let whole = isCut ? bytes.dropLast(lengthOfOpenCharacter(bytes)) : bytes[...]
        if let text = String(validating: whole, as: UTF8.self) { return text }
        var text = ""
        for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }

    /// The number of bytes in an incomplete UTF-8 character at the end.
    private static func lengthOfOpenCharacter(_ bytes: [UInt8]) -> Int {
        // A character has at most three continuation bytes.
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

    /// The most decoded bytes, because a few coded ones may expand to many.
    private static let longest = 1 << 10

    private static func isText(_ mimeType: String?) -> Bool {
        guard let mimeType else { return false }
        return mimeType.hasBytePrefix("text/") || mimeType.hasByteSuffix("json")
            || mimeType.hasByteSuffix("xml")
    }
}
