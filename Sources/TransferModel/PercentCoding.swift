internal import SystemKit

/// Percent-encoding (RFC 3986 §2.1).
package enum PercentCoding {
    /// The decoded bytes; nil when a `%` is not followed by two hexadecimal digits.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        decode(text, isLenient: false)
    }

    /// The decoded bytes; an invalid `%` stays as it is.
    package static func decodeLeniently(_ text: some Collection<UInt8>) -> [UInt8] {
        decode(text, isLenient: true) ?? []
    }

    /// Appends `%` and the two digits of a byte, in capitals (RFC 3986 §2.1).
    package static func encode(_ byte: UInt8, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(digit(byte >> 4))
        bytes.append(digit(byte & 15))
    }

    /// The text with every byte escaped that `isKept` does not accept.
    package static func encode(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
        guard !text.utf8.allSatisfy(isKept) else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            if isKept(byte) {
                bytes.append(byte)
            } else {
                encode(byte, into: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func decode(_ text: some Collection<UInt8>, isLenient: Bool) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            let digits = rest.prefix(2).compactMap(\.hexadecimalValue)
            if digits.count == 2 {
                decoded.append(digits[0] << 4 | digits[1])
                rest = rest.dropFirst(2)
            } else if isLenient {
                decoded.append(byte)
            } else {
                return nil
            }
        }
        return decoded
    }
}
