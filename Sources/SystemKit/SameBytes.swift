internal import Glibc

extension Span<UInt8> {
    /// Whether both spans contain the same bytes.
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

    /// Feeds the bytes and their count to a hasher.
    package func combine(into hasher: inout Hasher) {
        unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        hasher.combine(count)
    }

    /// A hash with a key of this process: collisions are rare and cannot be forced.
    package var seededHash: UInt64 {
        var hasher = Hasher()
        combine(into: &hasher)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

extension String {
    /// Whether both strings have the same UTF-8.
    ///
    /// For file names, JSON members and other byte strings: `==` treats two spellings of `é` as
    /// equal (Unicode canonical equivalence).
    package func hasSameBytes(as other: String) -> Bool {
        utf8.span.equals(other.utf8.span)
    }
}

/// A text compared by its UTF-8, for sets and dictionaries.
package struct ByteText: Sendable, Hashable {
    /// The text in its original spelling.
    package let text: String

    /// Wraps a text, which is not normalized.
    package init(_ text: String) {
        self.text = text
    }

    /// Whether both have the same UTF-8.
    package static func == (left: ByteText, right: ByteText) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    /// Hashes the UTF-8.
    package func hash(into hasher: inout Hasher) {
        text.utf8.span.combine(into: &hasher)
    }
}
