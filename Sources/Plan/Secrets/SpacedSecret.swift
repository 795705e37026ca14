/// Finds the value behind the name of a secret where the colon is missing, as in
/// `Authorization Bearer hunter2` and `password = hunter2`.
enum SpacedSecret {
    /// The value in a text, up to the text's end.
    ///
    /// - Parameters:
    ///   - text: A line, or a text in the place of a mapping.
    ///   - anywhere: Whether the name may be any word of the text; otherwise only one that begins
    ///     a line, an element or an entry of a collection.
    /// - Returns: UTF-8 offsets of the value without the blanks and the sign in front of it, empty
    ///   where the name ends the text; nil without such a name.
    static func value(in text: Span<UInt8>, anywhere: Bool) -> Range<Int>? {
        var isStart = true
        var index = 0
        while index < text.count {
            let byte = text[index]
            guard isNameByte(byte), !isDash(at: index, in: text) else {
                if !isBlank(byte) { isStart = anywhere || beginsEntry(byte) }
                index += 1
                continue
            }
            let start = index
            while index < text.count, isNameByte(text[index]) { index += 1 }
            if isStart, index == text.count || isBlank(text[index]),
                isSecret(start..<index, in: text)
            {
                return behindSign(index, in: text)..<text.count
            }
            isStart = anywhere
        }
        return nil
    }

    /// The index of what follows blanks and at most one `=` or `:` among them.
    private static func behindSign(_ index: Int, in text: Span<UInt8>) -> Int {
        var index = index
        var hasSign = false
        while index < text.count {
            let isSign = text[index] == UInt8(ascii: "=") || text[index] == UInt8(ascii: ":")
            guard isBlank(text[index]) || isSign && !hasSign else { break }
            hasSign = hasSign || isSign
            index += 1
        }
        return index
    }

    private static func isSecret(_ name: Range<Int>, in text: Span<UInt8>) -> Bool {
        guard name.count <= SecretName.longest else { return false }
        var bytes: [UInt8] = []
        for index in name { bytes.append(text[index]) }
        return SecretName.isOne(String(decoding: bytes, as: UTF8.self))
    }

    /// Whether the dash of a list, or the signs of a comment or a collection, stand there.
    private static func beginsEntry(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "?"), UInt8(ascii: "{"), UInt8(ascii: "["),
            UInt8(ascii: ","), UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "'"),
            UInt8(ascii: "\n"):
            true
        default: false
        }
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
