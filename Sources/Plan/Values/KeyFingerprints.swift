internal import Diagnostics
internal import SystemKit

/// Pins of public keys: `sha256//` and the base64 of 32 bytes (RFC 7469 §2.4), as curl writes them.
enum PublicKeyPinText {
    /// 43 digits, of which the last holds two bits that mean nothing, and one `=`.
    static let pattern = "^sha256//[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$"
    /// For the help of reports and the schema.
    static let example = "sha256//n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="

    private static let prefix = "sha256//"

    /// The text itself when it is one.
    static func parse(_ text: String) throws(ValueFault) -> String {
        guard text.hasBytePrefix(prefix) else {
            throw ValueFault(
                .badValue,
                "`\(text.excerpt)` is not the pin of a public key",
                likely: likely(text),
                help: help
            )
        }
        guard isDigest(text.utf8.dropFirst(prefix.utf8.count)) else {
            throw ValueFault(
                .badValue,
                "expected `\(prefix)` and 44 characters of base64, the SHA-256 of a key",
                help: help
            )
        }
        return text
    }

    private static let help =
        "`openssl x509 -in server.pem -noout -pubkey | openssl pkey -pubin -outform der "
        + "| openssl dgst -sha256 -binary | base64` prints the text after `sha256//`"

    /// The pin that was meant: with another separator, or without the name of its hash.
    private static func likely(_ text: String) -> String? {
        var digest = text[...]
        for known in ["sha256/", "sha256:", "sha256-", "pin-sha256=", "SHA256:"] {
            digest = text.withoutBytePrefix(known) ?? digest
        }
        return isDigest(digest.utf8) ? prefix + digest : nil
    }

    private static func isDigest(_ bytes: some BidirectionalCollection<UInt8>) -> Bool {
        guard bytes.count == 44, bytes.last == UInt8(ascii: "=") else { return false }
        let digits = bytes.dropLast()
        return digits.allSatisfy(\.isBase64Digit) && digits.last.map(endsDigest) ?? false
    }

    /// Whether the last digit's two spare bits are zero.
    private static func endsDigest(_ byte: UInt8) -> Bool {
        "AEIMQUYcgkosw048".utf8.contains(byte)
    }
}

/// The fingerprint of an SSH host key, as OpenSSH writes it.
enum HostKeyText {
    static let pattern = "^SHA256:[A-Za-z0-9+/]{43}=?$"

    /// The base64 of the digest without padding.
    static func parse(_ text: String) throws(ValueFault) -> String {
        let digits = text.utf8.dropFirst("SHA256:".utf8.count)
        let digest = digits.last == UInt8(ascii: "=") ? digits.dropLast() : digits
        guard text.hasBytePrefix("SHA256:"), digest.count == 43,
            digest.allSatisfy(\.isBase64Digit)
        else {
            throw ValueFault(
                .badValue,
                "`\(text.excerpt)` is not a fingerprint of a host key",
                help: "`ssh-keygen -lf` shows it: `SHA256:` and 43 characters"
            )
        }
        return String(Substring(digest))
    }
}
