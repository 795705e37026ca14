internal import Diagnostics
internal import SystemKit

/// The fingerprint of an SSH host key, as OpenSSH writes it.
enum HostKeyText {
    static let pattern = "^SHA256:[A-Za-z0-9+/]{43}=?$"

    /// The base64 of the digest without padding.
    static func parse(_ text: String) throws(ValueFault) -> String {
        let digits = text.utf8.dropFirst("SHA256:".utf8.count)
        let digest = digits.last == UInt8(ascii: "=") ? digits.dropLast() : digits
        let isBase64 = digest.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
        }
        guard text.hasBytePrefix("SHA256:"), digest.count == 43, isBase64 else {
            throw ValueFault(
                .badValue,
                "`\(text.excerpt)` is not a fingerprint of a host key",
                help: "`ssh-keygen -lf` shows it: `SHA256:` and 43 characters"
            )
        }
        return String(Substring(digest))
    }
}
