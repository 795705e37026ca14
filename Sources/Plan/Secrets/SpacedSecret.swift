internal import SystemKit

/// Finds the value behind the name of a secret where the colon is missing, or another sign takes
/// its place: `Authorization Bearer hunter2`, `password = hunter2`, `"token"; "hunter2"`.
enum SpacedSecret {
    /// Bytes of the longest user name before the colon of a login.
    private static let longestUser = 256

    /// The value in a text, up to the text's end.
    ///
    /// - Parameter text: A line, or a text in the place of a mapping.
    /// - Returns: UTF-8 offsets of the value without the blanks and the sign in front of it, empty
    ///   where the name ends the text; nil without such a name.
    static func value(in text: Span<UInt8>) -> Range<Int>? {
        var index = 0
        while index < text.count {
            guard isNameByte(text[index]), !isDash(at: index, in: text) else {
                index += 1
                continue
            }
            let start = index
            while index < text.count, isNameByte(text[index]) { index += 1 }
            if index == text.count || isSeparator(text[index]) {
                if isSecret(start..<index, in: text) {
                    return behindSeparators(index, in: text)..<text.count
                }
                // A login behind curl's option for one.
                if SecretName.isLoginOption(string(start..<index, in: text)) {
                    let value = behindSeparators(index, in: text)..<text.count
                    let front = value.prefix(longestUser)
                    if front.contains(where: { text[$0] == UInt8(ascii: ":") }) { return value }
                }
            }
        }
        return nil
    }

    private static func behindSeparators(_ index: Int, in text: Span<UInt8>) -> Int {
        var index = index
        while index < text.count, isSeparator(text[index]) { index += 1 }
        return index
    }

    /// Whether a sign may stand between a name and its value.
    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: ";"), UInt8(ascii: ","),
            UInt8(ascii: "|"), UInt8(ascii: "~"), UInt8(ascii: ">"), UInt8(ascii: "\""),
            UInt8(ascii: "'"):
            true
        default: isBlank(byte)
        }
    }

    private static func isSecret(_ name: Range<Int>, in text: Span<UInt8>) -> Bool {
        guard name.count <= SecretName.longest else { return false }
        let name = string(name, in: text)
        return SecretName.isOne(name)
            || name.hasBytePrefix("-H") && SecretName.isOne(String(name.dropFirst(2)))
    }

    private static func string(_ name: Range<Int>, in text: Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        for index in name { bytes.append(text[index]) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isDash(at index: Int, in text: Span<UInt8>) -> Bool {
        text[index] == UInt8(ascii: "-") && index + 1 < text.count && isBlank(text[index + 1])
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }
}
