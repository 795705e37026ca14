internal import SystemKit
internal import TransferModel

/// A byte sequence that reveals a secret in a text.
struct SecretPattern: Sendable, Hashable {
    var bytes: [UInt8]
    /// Whether the bytes are base64 digits, possibly separated by line breaks.
    var isBase64 = false
    /// Whether the base64 digit before or after them also holds bits of the secret.
    var reachesBefore = false
    var reachesBehind = false

    /// The shortest pattern; shorter sequences occur in any text by chance.
    static let minimumCount = 4
    /// The shortest line that is searched for on its own.
    private static let minimumLine = 8

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// All patterns of a secret with at least `minimumCount` bytes; empty for a shorter secret.
    static func all(of secret: String) -> Set<SecretPattern> {
        let bytes = Array(secret.utf8)
        guard bytes.count >= minimumCount else { return [] }
        var patterns: Set<SecretPattern> = []
        // In a header field, each byte of the text that the server wrote is a character.
        let small = [
            secret.lowercased(),
            String(decoding: secret.utf8.map(\.asciiLowercased), as: UTF8.self),
        ]
        for form in Set([secret] + (secret.utf8.allSatisfy { $0 < 0x80 } ? [] : small)) {
            let inField = String(decoding: asCharacters(Array(form.utf8)), as: UTF8.self)
            for text in [form, inField] {
                patterns.insert(SecretPattern(Array(text.utf8)))
                // The form in an excerpt of a body or a field.
                patterns.insert(SecretPattern(Array(text.onOneLine().text.utf8)))
            }
        }
        // A server may return a single line of a key, and terminal output has no line ends.
        for text in [bytes, asCharacters(bytes)] {
            let lines = text.split(whereSeparator: { $0 < 0x20 || $0 == 0x7F })
            for line in lines where line.count >= minimumLine {
                patterns.insert(SecretPattern(Array(line)))
            }
        }
        for digits in ["0123456789abcdef", "0123456789ABCDEF"].map({ Array($0.utf8) }) {
            patterns.insert(
                SecretPattern(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
            )
        }
        for digits in [base64Digits, base64URLDigits] {
            for offset in 0..<3 {
                patterns.insert(SecretPattern(base64Of: bytes, behind: offset, digits))
            }
        }
        // The form in a media type, scheme or host that a server made from the secret.
        patterns.formUnion(patterns.map(\.lowercased))
        return patterns.filter { $0.bytes.count >= minimumCount }
    }

    private var lowercased: SecretPattern {
        var pattern = self
        pattern.bytes = Array(String(decoding: bytes, as: UTF8.self).lowercased().utf8)
        return pattern
    }

    /// The UTF-8 form in a report's header fields: each byte as the character with its number.
    private static func asCharacters(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }
    }
}

// MARK: Base64 (RFC 4648 §4 and §5)

extension SecretPattern {
    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let base64Digits = Array((letters + "+/").utf8)
    private static let base64URLDigits = Array((letters + "-_").utf8)

    /// The base64 digits of a secret after `offset` other bytes, without digits that depend on
    /// other bytes.
    private init(base64Of secret: [UInt8], behind offset: Int, _ digits: [UInt8]) {
        let bytes = [UInt8](repeating: 0, count: offset) + secret + [0]
        let bits = (bytes.count - 1) * 8
        // Six-bit digits: from the first without bits of earlier bytes, to the last complete one.
        let own = (offset * 8 + 5) / 6..<bits / 6
        self.bytes = own.map { digit in
            let (byte, shift) = (digit * 6).quotientAndRemainder(dividingBy: 8)
            let pair = UInt16(bytes[byte]) << 8 | UInt16(bytes[byte + 1])
            return digits[Int(pair >> UInt16(10 - shift)) & 63]
        }
        isBase64 = true
        reachesBefore = offset > 0
        reachesBehind = bits % 6 > 0
    }

    /// Whether a byte is a digit of Base64, also of the kind for URLs (RFC 4648 §4, §5).
    static func isBase64Digit(_ byte: UInt8) -> Bool {
        byte.isBase64Digit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
