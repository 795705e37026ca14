internal import Glibc

// Text of URLs, paths and fields is bytes for servers and the kernel. Swift searches by characters:
// in "/\u{301}" it finds no slash. Callers inline the comparisons: generic code would take a
// hundred times as long.
extension StringProtocol {
    /// Whether the text begins with these bytes.
    @inlinable package func hasBytePrefix(_ prefix: some StringProtocol) -> Bool {
        utf8.starts(with: prefix.utf8)
    }

    /// Whether the text ends with these bytes.
    @inlinable package func hasByteSuffix(_ suffix: some StringProtocol) -> Bool {
        utf8.count >= suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// The text after these bytes; nil if it does not begin with them.
    @inlinable package func withoutBytePrefix(_ prefix: some StringProtocol) -> SubSequence? {
        guard hasBytePrefix(prefix) else { return nil }
        return self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...]
    }

    /// The text before these bytes; nil if it does not end with them.
    @inlinable package func withoutByteSuffix(_ suffix: some StringProtocol) -> SubSequence? {
        guard hasByteSuffix(suffix) else { return nil }
        return self[..<utf8.index(startIndex, offsetBy: utf8.count - suffix.utf8.count)]
    }

    /// Whether these bytes occur in the text, whatever combines with them.
    package func containsBytes(_ part: String) -> Bool {
        utf8.indices.contains { utf8[$0...].starts(with: part.utf8) }
    }

    /// The first index of an ASCII character, whatever combines with it.
    package func firstByteIndex(of character: Unicode.Scalar) -> Index? {
        utf8.firstIndex { UInt32($0) == character.value }
    }

    /// The last index of an ASCII character, whatever combines with it.
    package func lastByteIndex(of character: Unicode.Scalar) -> Index? {
        var found: Index?
        for index in utf8.indices where UInt32(utf8[index]) == character.value { found = index }
        return found
    }

    /// The text before and after the first of an ASCII character, whatever combines with it; nil
    /// without one.
    package func cut(
        atFirst character: Unicode.Scalar
    ) -> (before: SubSequence, behind: SubSequence)? {
        firstByteIndex(of: character).map(parts)
    }

    /// The text before and after the last of an ASCII character, whatever combines with it; nil
    /// without one.
    package func cut(
        atLast character: Unicode.Scalar
    ) -> (before: SubSequence, behind: SubSequence)? {
        lastByteIndex(of: character).map(parts)
    }

    private func parts(around index: Index) -> (before: SubSequence, behind: SubSequence) {
        (self[..<index], self[utf8.index(after: index)...])
    }

    /// The parts between ASCII characters, whatever combines with these.
    package func splitAtBytes(
        _ separators: Unicode.Scalar...,
        maxSplits: Int = .max,
        omittingEmpty: Bool = true
    ) -> [SubSequence] {
        var parts: [SubSequence] = []
        var start = startIndex
        var index = startIndex
        let bytes = utf8
        while index < endIndex, parts.count < maxSplits {
            let next = bytes.index(after: index)
            if separators.contains(where: { $0.value == UInt32(bytes[index]) }) {
                if start < index || !omittingEmpty { parts.append(self[start..<index]) }
                start = next
            }
            index = next
        }
        if start < endIndex || !omittingEmpty { parts.append(self[start...]) }
        return parts
    }

    /// The text with every occurrence of a text replaced, whatever combines with it.
    package func replacingBytes(_ old: String, with new: String) -> String {
        var result: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.first {
            if rest.starts(with: old.utf8) {
                result += new.utf8
                rest = rest.dropFirst(old.utf8.count)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension String {
    /// Whether the text begins with these bytes.
    package func hasBytePrefix(_ prefix: String) -> Bool {
        utf8.count >= prefix.utf8.count
            && utf8.span.extracting(first: prefix.utf8.count).equals(prefix.utf8.span)
    }
}

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
