internal import CIDN
internal import CPSL

/// International host names, converted by libidn2 (RFC 5891, non-transitional Unicode TR46).
package enum InternationalName {
    /// The library's name, for messages.
    package static let library = "libidn2.so.0"

    /// The longest host name in bytes (RFC 1035 §2.3.4), and a NUL.
    private static let capacity = 256

    /// The ASCII form for DNS: `xn--bcher-kva.example` for `bücher.example`.
    ///
    /// Loads libidn2.
    ///
    /// - Returns: Nil for invalid names, and without libidn2.
    package static func ascii(_ name: some StringProtocol) -> String? {
        var buffer = [CChar](repeating: 0, count: capacity)
        guard unsafe cidn_to_ascii(String(name), &buffer, buffer.count) == 1 else { return nil }
        let bytes = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        // libidn2 turns fullwidth delimiters into ASCII delimiters.
        guard bytes.allSatisfy({ $0.isDigit || $0.isLowercase || "-._".utf8.contains($0) }) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The Public Suffix List (https://publicsuffix.org) from libpsl: the names under which anyone can
/// register names.
package enum PublicSuffixList {
    /// The library's name, for messages.
    package static let library = "libpsl.so.5"

    /// Whether a name is a public suffix: `com` and `co.uk` are, `example.com` is not.
    ///
    /// An unlisted name of one label also is one (the list's rule `*`). Loads libpsl.
    ///
    /// - Parameter name: A host name in lower case without a final dot.
    /// - Returns: Nil without libpsl.
    package static func isPublicSuffix(_ name: String) -> Bool? {
        switch unsafe cpsl_is_public_suffix(name) {
        case 1: true
        case 0: false
        default: nil
        }
    }
}
