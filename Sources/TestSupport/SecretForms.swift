/// The forms of a secret in a text, and the traces of them that must not appear.
package enum SecretForms {
    /// The plain, percent-encoded and JSON-escaped forms, two layers of both, hexadecimal digits,
    /// and base64 at its three offsets in both alphabets.
    package static func all(of secret: String) -> [String] {
        let once = [
            secret, percent(secret), percent(secret).lowercased(), json(secret), unicode(secret),
        ]
        let twice = [
            percent(percent(secret)), json(json(secret)), percent(json(secret)),
            json(percent(secret)), unicode(unicode(secret)),
        ]
        let digits = secret.utf8.map { hexadecimal($0) }.joined()
        let encoded = (0..<3).map {
            base64(Array((String(repeating: "x", count: $0) + secret).utf8))
        }
        let url = encoded.map { $0.replacing("+", with: "-").replacing("/", with: "_") }
        return once + twice + [digits, digits.uppercased()] + encoded + url
    }

    /// The number of base64 forms, which come last.
    package static let base64Count = 6

    /// The forms of a secret that a text contains.
    ///
    /// The first four and the last two base64 digits depend on the surrounding bytes.
    package static func traces(of secret: String, in text: String) -> [String] {
        let forms = all(of: secret)
        let characters = String(secret.utf8.map { Character(Unicode.Scalar($0)) })
        let whole =
            forms.dropLast(base64Count) + [
                characters, secret.lowercased(), characters.lowercased(),
            ]
        let encoded = forms.suffix(base64Count).map { String($0.dropFirst(4).dropLast(2)) }
        let joined = text.filter { !$0.isWhitespace }
        return whole.filter { text.contains($0) } + encoded.filter { joined.contains($0) }
    }

    /// A text with a line break after every `count` characters.
    package static func broken(_ text: String, every count: Int, by lineBreak: String) -> String {
        var result = ""
        for (index, character) in text.enumerated() {
            if index > 0, index % count == 0 { result += lineBreak }
            result.append(character)
        }
        return result
    }

    /// Every byte as `%2F`.
    package static func percent(_ text: String) -> String {
        text.utf8.map { "%" + hexadecimal($0).uppercased() }.joined()
    }

    /// With the escapes that JSON requires.
    package static func json(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    /// Every UTF-16 unit as `\u00e9`.
    package static func unicode(_ text: String) -> String {
        text.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }

    /// Without padding (RFC 4648 §4).
    package static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        return stride(from: 0, to: bits.count, by: 6).map { start in
            let value = (start..<start + 6).reduce(0) { value, index in
                value << 1 | (index < bits.count ? Int(bits[index]) : 0)
            }
            return String(digits[value])
        }.joined()
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
