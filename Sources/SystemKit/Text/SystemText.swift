internal import CSystem
internal import Glibc

/// Paths, arguments and environment variables are bytes, which may not be UTF-8.
///
/// Each invalid byte becomes a private scalar, U+10FF00 plus the byte, and that byte again in the
/// system calls of this target. Real bytes of such a scalar become four of them, so that different
/// system texts are never one `String`.
extension String {
    /// Reads the bytes up to a NUL.
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
            // The length of the UTF-8 sequence at the start, if it is valid.
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

    /// Whether the text has invalid bytes: then it must not be sent or written as text for others.
    package var hasForeignBytes: Bool {
        utf8.contains(0xF4) && unicodeScalars.contains { $0.foreignByte != nil }
    }

    /// The original bytes of the text.
    package var systemBytes: [UInt8] {
        guard hasForeignBytes else { return Array(utf8) }
        return unicodeScalars.flatMap { scalar in
            scalar.foreignByte.map { [$0] } ?? Array(String(Character(scalar)).utf8)
        }
    }

    /// The text for messages: an invalid byte appears as `\xFF`.
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

    /// Calls `body` with the original bytes and a NUL.
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
    /// The byte that the scalar encodes; nil for a character.
    fileprivate var foreignByte: UInt8? {
        (0x10_FF80...0x10_FFFF).contains(value) ? UInt8(truncatingIfNeeded: value) : nil
    }
}
