internal import CSystem
internal import Glibc

/// Texts of the system: paths, arguments and variables of the environment are bytes, which need not
/// be UTF-8.
///
/// A byte that is part of no UTF-8 becomes the scalar U+10FF00 plus the byte, of a plane that is
/// nobody's, and is that byte again in each system call of this target. The bytes of such a scalar
/// itself become four of them, so that two texts of the system are never one `String`.
extension String {
    /// Makes a text of the bytes up to a NUL.
    package init(systemText text: UnsafePointer<CChar>) {
        if unsafe csystem_may_hold_foreign(text) == 0,
            let valid = unsafe String(validatingCString: text)
        {
            self = valid
        } else {
            self = unsafe Self.preserving(
                UnsafeBufferPointer(start: text, count: strlen(text)).map(UInt8.init(bitPattern:))
            )
        }
    }

    private static func preserving(_ bytes: [UInt8]) -> String {
        var scalars = String.UnicodeScalarView()
        var rest = bytes[...]
        while let first = rest.first {
            // The length that UTF-8 gives a scalar of that first byte, when the bytes are one.
            let length = (1...4).first { length in
                rest.count >= length
                    && String(validating: rest.prefix(length), as: UTF8.self)?.unicodeScalars.count
                        == 1
            }
            let scalar = length.flatMap {
                String(decoding: rest.prefix($0), as: UTF8.self).unicodeScalars.first
            }
            if let length, let scalar, scalar.foreignByte == nil {
                scalars.append(scalar)
                rest.removeFirst(length)
            } else {
                if let scalar = Unicode.Scalar(0x10_FF00 + UInt32(first)) { scalars.append(scalar) }
                rest.removeFirst()
            }
        }
        return String(scalars)
    }

    /// Whether the text has bytes that are not UTF-8: it must not be sent, nor written where others
    /// read it as text.
    package var hasForeignBytes: Bool {
        utf8.contains(0xF4) && unicodeScalars.contains { $0.foreignByte != nil }
    }

    /// The bytes that the system knows the text by.
    package var systemBytes: [UInt8] {
        guard hasForeignBytes else { return Array(utf8) }
        return unicodeScalars.flatMap { scalar in
            scalar.foreignByte.map { [$0] } ?? Array(String(Character(scalar)).utf8)
        }
    }

    /// The text for people: a byte that is not UTF-8 as `\xFF`.
    package var shownSystemText: String {
        guard hasForeignBytes else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if let byte = scalar.foreignByte {
                text += "\\x" + String(byte, radix: 16, uppercase: true)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    /// Calls `body` with the bytes that the system knows the text by, and a NUL.
    package func withSystemText<Result>(
        _ body: (UnsafePointer<CChar>) throws -> Result
    ) rethrows -> Result {
        try unsafe withCString { text in
            guard unsafe csystem_may_hold_foreign(text) != 0, let copy = unsafe strdup(text) else {
                return try unsafe body(text)
            }
            defer { unsafe free(copy) }
            unsafe csystem_restore(copy)
            return try unsafe body(copy)
        }
    }
}

extension Unicode.Scalar {
    /// The byte that the scalar stands for in a text of the system; nil for a character.
    fileprivate var foreignByte: UInt8? {
        (0x10_FF80...0x10_FFFF).contains(value) ? UInt8(truncatingIfNeeded: value) : nil
    }
}
