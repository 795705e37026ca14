internal import SystemKit

/// The core schema of YAML 1.2 (§10.3.2): the value of a scalar by its tag or its text.
enum CoreSchema {
    static func resolve(_ bytes: Span<UInt8>, tag: CoreTag, isPlain: Bool) -> Scalar {
        switch tag {
        case .none: isPlain ? resolve(bytes) : .string
        case .timestamp: .timestamp
        case .binary: .binary
        case .null, .boolean, .integer, .float: resolve(bytes, as: tag) ?? .string
        case .nonSpecific, .string, .sequence, .mapping, .unsupported: .string
        }
    }

    /// The value of a scalar with a value tag; nil when the text does not fit the tag.
    static func resolve(_ bytes: Span<UInt8>, as tag: CoreTag) -> Scalar? {
        let looks = resolve(bytes)
        switch (tag, looks) {
        case (.null, .null), (.boolean, .bool), (.integer, .integer), (.float, .float):
            return looks
        case (.float, .integer(let value)):
            return .float(value.map { Double($0) } ?? Double(bytes.text) ?? .infinity)
        default:
            return nil
        }
    }

    /// The value of a plain scalar by its text.
    static func resolve(_ bytes: Span<UInt8>) -> Scalar {
        guard bytes.count > 0 else { return .null }
        switch bytes[0] {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            return prefixedInteger(bytes) ?? decimal(bytes) ?? special(bytes) ?? .string
        case UInt8(ascii: "~"):
            return bytes.count == 1 ? .null : .string
        case UInt8(ascii: "n"), UInt8(ascii: "N"):
            return bytes.isOne(of: "null", "Null", "NULL") ? .null : .string
        case UInt8(ascii: "t"), UInt8(ascii: "T"):
            return bytes.isOne(of: "true", "True", "TRUE") ? .bool(true) : .string
        case UInt8(ascii: "f"), UInt8(ascii: "F"):
            return bytes.isOne(of: "false", "False", "FALSE") ? .bool(false) : .string
        default:
            return .string
        }
    }

    /// `0x1F` or `0o17`, without a sign.
    private static func prefixedInteger(_ bytes: Span<UInt8>) -> Scalar? {
        guard bytes.count > 2, bytes[0] == UInt8(ascii: "0") else { return nil }
        let radix: Int64
        switch bytes[1] {
        case UInt8(ascii: "x"): radix = 16
        case UInt8(ascii: "o"): radix = 8
        default: return nil
        }
        var value: Int64? = 0
        for index in 2..<bytes.count {
            guard let digit = bytes[index].hexadecimalValue.map({ Int64($0) }), digit < radix else {
                return nil
            }
            value = value.flatMap { $0.shiftedIn(digit, radix: radix) }
        }
        return .integer(value)
    }

    /// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`, without needless
    /// leading zeros.
    private static func decimal(_ bytes: Span<UInt8>) -> Scalar? {
        var index = isSign(bytes[0]) ? 1 : 0
        let whole = skipDigits(bytes, &index)
        let hasLeadingZero = whole > 1 && bytes[index - whole] == UInt8(ascii: "0")
        guard !hasLeadingZero else { return nil }
        if index == bytes.count { return whole > 0 ? .integer(integer(bytes)) : nil }
        if bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard skipDigits(bytes, &index) > 0 || whole > 0 else { return nil }
        } else if whole == 0 {
            return nil
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count, isSign(bytes[index]) { index += 1 }
            guard skipDigits(bytes, &index) > 0 else { return nil }
        }
        guard index == bytes.count else { return nil }
        return Double(bytes.text).map { .float($0) }
    }

    private static func special(_ bytes: Span<UInt8>) -> Scalar? {
        if bytes.isOne(of: ".inf", ".Inf", ".INF") || bytes.isOne(of: "+.inf", "+.Inf", "+.INF") {
            return .float(.infinity)
        }
        if bytes.isOne(of: "-.inf", "-.Inf", "-.INF") { return .float(-.infinity) }
        if bytes.isOne(of: ".nan", ".NaN", ".NAN") { return .float(.nan) }
        return nil
    }

    /// The value of a decimal integer; nil beyond 64 bits.
    private static func integer(_ bytes: Span<UInt8>) -> Int64? {
        let isNegative = bytes[0] == UInt8(ascii: "-")
        var value: Int64? = 0
        for index in (isSign(bytes[0]) ? 1 : 0)..<bytes.count {
            let digit = Int64(bytes[index] - UInt8(ascii: "0"))
            // Counts downwards for negative numbers, so that the least integer fits.
            value = value.flatMap { $0.shiftedIn(isNegative ? -digit : digit, radix: 10) }
        }
        return value
    }

    private static func isSign(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
    }

    private static func skipDigits(_ bytes: Span<UInt8>, _ index: inout Int) -> Int {
        let start = index
        while index < bytes.count, bytes[index].isDigit { index += 1 }
        return index - start
    }
}

extension Scalar {
    /// The type of a text as a plain scalar, for values from outside the file.
    package init(plain text: String) {
        self = CoreSchema.resolve(text.utf8.span)
    }
}

extension Int64 {
    /// The number with a digit appended; nil beyond 64 bits.
    fileprivate func shiftedIn(_ digit: Int64, radix: Int64) -> Int64? {
        let (high, isTooLarge) = multipliedReportingOverflow(by: radix)
        let (value, isStillTooLarge) = high.addingReportingOverflow(digit)
        return isTooLarge || isStillTooLarge ? nil : value
    }
}
