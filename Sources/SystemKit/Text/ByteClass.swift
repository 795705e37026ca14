/// The classes of ASCII bytes that several grammars share.
extension UInt8 {
    /// Whether the byte is a `DIGIT` (RFC 5234 §B.1).
    @inlinable package var isDigit: Bool { self &- 48 < 10 }

    /// Whether the byte is an `ALPHA`, a letter of either case (RFC 5234 §B.1).
    @inlinable package var isAlpha: Bool { (self | 0x20).isLowercase }

    /// Whether the byte is one of `A` to `Z`.
    @inlinable package var isUppercase: Bool { self &- 65 < 26 }

    /// Whether the byte is one of `a` to `z`.
    @inlinable package var isLowercase: Bool { self &- 97 < 26 }

    /// Whether the byte is an `ALPHA` or a `DIGIT` (RFC 5234 §B.1).
    @inlinable package var isAlphanumeric: Bool { isAlpha || isDigit }

    /// The value of the byte as a `HEXDIG` of either case (RFC 5234 §B.1, RFC 3986 §2.1).
    @inlinable package var hexadecimalValue: UInt8? {
        switch self {
        case 48...57: self - 48
        case 65...70: self - 55
        case 97...102: self - 87
        default: nil
        }
    }

    /// Whether the byte is a `WSP`, a space or a tab (RFC 5234 §B.1), as in the `OWS` of HTTP (RFC
    /// 9110 §5.6.3).
    @inlinable package var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// Whether the byte is a `tchar`, which tokens consist of (RFC 9110 §5.6.2).
    @inlinable package var isTokenByte: Bool {
        switch self {
        case 48...57, 65...90, 94...122: true  // digits, letters, ^ _ `
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x7C, 0x7E: true  // ! # $ % & ' * + - . | ~
        default: false
        }
    }

    /// Whether the value of a header field may have the byte: `field-vchar`, a space or a tab (RFC
    /// 9110 §5.5).
    @inlinable package var isFieldByte: Bool { self >= 0x20 && self != 0x7F || self == 0x09 }

    /// Whether the byte is `unreserved`: it never needs escaping in a URL (RFC 3986 §2.3).
    @inlinable package var isUnreserved: Bool {
        switch self {
        case 48...57, 65...90, 97...122, 0x2D, 0x2E, 0x5F, 0x7E: true  // digits, letters, - . _ ~
        default: false
        }
    }

    /// Whether a path may have the byte without escapes: a `pchar` or `/` (RFC 3986 §3.3).
    @inlinable package var isPathByte: Bool {
        switch self {
        case 0x21, 0x24, 0x26...0x2C, 0x2F, 0x3A, 0x3B, 0x3D, 0x40: true  // ! $ &'()*+, / : ; = @
        default: isUnreserved
        }
    }

    /// Whether a `scheme` may have the byte after its first letter (RFC 3986 §3.1).
    @inlinable package var isSchemeByte: Bool {
        switch self {
        case 48...57, 65...90, 97...122, 0x2B, 0x2D, 0x2E: true  // digits, letters, + - .
        default: false
        }
    }

    /// Whether the byte is a digit of Base64 (RFC 4648 §4).
    @inlinable package var isBase64Digit: Bool { isAlphanumeric || self == 0x2B || self == 0x2F }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without the blanks around them, which are the `OWS` of HTTP (RFC 9110 §5.6.3).
    @inlinable package var withoutOuterBlanks: SubSequence {
        var rest = drop(while: \.isBlank)
        while let last = rest.last, last.isBlank { rest.removeLast() }
        return rest
    }
}
