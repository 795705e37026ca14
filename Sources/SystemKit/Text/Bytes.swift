internal import Glibc

extension [UInt8] {
    /// Calls `body` with the bytes, which it may change.
    package mutating func withRawSpan<Result>(_ body: (inout MutableRawSpan) -> Result) -> Result {
        var span = mutableSpan
        var raw = unsafe span.mutableBytes
        return body(&raw)
    }

    /// Appends all bytes of a span.
    package mutating func append(_ span: Span<UInt8>) {
        unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Combines the bytes from `start` on with the four bytes of `key`, repeated, by exclusive or.
    ///
    /// The lowest byte of `key` is applied to the byte at `start`. The loop takes words, which the
    /// compiler turns into vectors; a loop over the bytes of a span takes twelve times as long.
    package mutating func applyMask(_ key: UInt32, from start: Int) {
        guard start >= 0 else { return }
        let word = (UInt64(key) << 32 | UInt64(key)).littleEndian
        unsafe withUnsafeMutableBytes { bytes in
            var index = start
            while index + 8 <= bytes.count {
                let masked =
                    unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ word
                unsafe bytes.storeBytes(of: masked, toByteOffset: index, as: UInt64.self)
                index += 8
            }
            var rest = key
            while index < bytes.count {
                unsafe bytes[index] ^= UInt8(truncatingIfNeeded: rest)
                rest = rest >> 8 | rest << 24
                index += 1
            }
        }
    }
}

extension MutableRawSpan {
    /// Copies as many of the bytes as fit to the beginning; returns their number.
    package mutating func update(from bytes: Span<UInt8>) -> Int {
        let count = min(bytes.count, byteCount)
        unsafe withUnsafeMutableBytes { target in
            unsafe bytes.withUnsafeBytes { source in
                unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<count]))
            }
        }
        return count
    }
}

extension Span<UInt8> {
    /// The 64-bit FNV-1a hash: the same on every machine, but collisions are easy to make.
    package var fnv1a: UInt64 { fnv1a(after: 0xCBF2_9CE4_8422_2325) }

    /// The 64-bit FNV-1a hash of other bytes, whose hash is given, and of these after them.
    package func fnv1a(after start: UInt64) -> UInt64 {
        var hash = start
        for index in indices { hash = (hash ^ UInt64(self[index])) &* 0x100_0000_01B3 }
        return hash
    }

    /// The index of the first byte equal to `byte`.
    package func firstIndex(of byte: UInt8) -> Int? {
        unsafe withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress,
                let found = unsafe memchr(start, Int32(byte), bytes.count)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - start
        }
    }

    /// Whether the span contains `byte`.
    package func contains(_ byte: UInt8) -> Bool { firstIndex(of: byte) != nil }

    /// The index of the first byte at or after `start` that is not printable ASCII; `count` if
    /// none.
    package func endOfPrintableASCII(from start: Int) -> Int {
        end(from: start) {
            $0.firstOutsideOfPrintableASCII
        } isInside: {
            (0x20..<0x7F).contains($0)
        }
    }

    /// The index of the first byte at or after `start` that is not ASCII; `count` if none.
    package func endOfASCII(from start: Int) -> Int {
        end(from: start) { word in
            let found = word & 0x8080_8080_8080_8080
            return found == 0 ? nil : found.trailingZeroBitCount / 8
        } isInside: {
            $0 < 0x80
        }
    }

    /// The index of the first byte at or after `start` that is not inside of a class, eight bytes
    /// at a time: `first` finds it in a little-endian word.
    @inline(__always)
    private func end(from start: Int, first: (UInt64) -> Int?, isInside: (UInt8) -> Bool) -> Int {
        unsafe withUnsafeBytes { bytes in
            var index = start
            while index + 8 <= bytes.count {
                let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if let offset = first(UInt64(littleEndian: word)) { return index + offset }
                index += 8
            }
            while index < bytes.count, unsafe isInside(bytes[index]) { index += 1 }
            return index
        }
    }

    /// Whether every byte is printable ASCII, except `"` and `\`: JSON needs no escapes for such
    /// text.
    package var isPlain: Bool {
        unsafe withUnsafeBytes { bytes in
            guard bytes.count >= 8 else {
                for index in bytes.indices where unsafe !bytes[index].isPlain {
                    return false
                }
                return true
            }
            // The last word overlaps the one before it.
            let last = bytes.count - 8
            var offset = 0
            while offset < last {
                guard
                    unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).isPlain
                else { return false }
                offset += 8
            }
            return unsafe bytes.loadUnaligned(fromByteOffset: last, as: UInt64.self).isPlain
        }
    }
}

extension UInt8 {
    fileprivate var isPlain: Bool {
        self >= 0x20 && self < 0x7F && self != UInt8(ascii: "\"") && self != UInt8(ascii: "\\")
    }
}

extension UInt64 {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The index of the first of the eight bytes, lowest first, that is not printable ASCII; nil if
    /// none.
    fileprivate var firstOutsideOfPrintableASCII: Int? {
        // Borrows and carries only move upwards, to bytes after the found one.
        let controls = self &- 0x20 &* Self.ones
        let deletes = self &+ Self.ones
        let found = (self | controls | deletes) & Self.highBits
        return found == 0 ? nil : found.trailingZeroBitCount / 8
    }

    /// Whether all eight bytes are plain.
    fileprivate var isPlain: Bool {
        // A subtraction borrows from the next byte only after it has found a byte.
        let controls = self &- 0x20 &* Self.ones
        let quotes = (self ^ 0x22 &* Self.ones) &- Self.ones
        let backslashes = (self ^ 0x5C &* Self.ones) &- Self.ones
        let deletes = self &+ Self.ones
        return (self | controls | quotes | backslashes | deletes) & Self.highBits == 0
    }
}
