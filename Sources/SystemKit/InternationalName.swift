internal import CIDN

/// Host names beyond ASCII, as libidn2 reads them (RFC 5891, Unicode TR46 without its transitional
/// mappings).
package enum InternationalName {
    /// The library's name, for messages.
    package static let library = "libidn2.so.0"

    /// The longest host name, in bytes (RFC 1035 §2.3.4), and a zero.
    private static let capacity = 256

    /// The name as it is looked up: `xn--bcher-kva.example` is `bücher.example`.
    ///
    /// Loads libidn2.
    ///
    /// - Returns: Nil for what is no such name, and without libidn2.
    package static func ascii(_ name: some StringProtocol) -> String? {
        var buffer = [CChar](repeating: 0, count: capacity)
        guard unsafe cidn_to_ascii(String(name), &buffer, buffer.count) == 1 else { return nil }
        let bytes = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        // Fullwidth delimiters become delimiters.
        guard bytes.allSatisfy(isNameByte) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }
}
