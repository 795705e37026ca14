internal import Glibc

extension Span<UInt8> {
    /// Whether both hold the same bytes.
    package func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBytes { own in
            unsafe other.withUnsafeBytes { others in
                guard let left = own.baseAddress, let right = others.baseAddress else {
                    return true
                }
                return unsafe memcmp(left, right, own.count) == 0
            }
        }
    }

    /// Adds the bytes and their number to a hash.
    package func combine(into hasher: inout Hasher) {
        unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        hasher.combine(count)
    }

    /// A hash that is keyed by the process: equal ones of different texts are rare and cannot be
    /// made.
    package var seededHash: UInt64 {
        var hasher = Hasher()
        combine(into: &hasher)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

extension String {
    /// Whether both are the same UTF-8.
    ///
    /// For names of files, of JSON members and of whatever else is bytes to others: `==` takes two
    /// spellings of `é` for one (Unicode, canonical equivalence).
    package func hasSameBytes(as other: String) -> Bool {
        utf8.span.equals(other.utf8.span)
    }
}

/// A text that is compared as UTF-8; for sets and dictionaries.
package struct ByteText: Sendable, Hashable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: ByteText, right: ByteText) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        text.utf8.span.combine(into: &hasher)
    }
}
