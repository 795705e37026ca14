internal import Diagnostics
internal import SystemKit

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
