internal import Glibc

/// A byte buffer that is filled, handed over and filled again in the same memory.
///
/// Unlike an array it is never shared, so that an append costs a comparison and a copy.
@safe @usableFromInline package struct OutputBuffer: ~Copyable {
    @usableFromInline internal var start: UnsafeMutablePointer<UInt8>
    @usableFromInline internal var capacity: Int
    @usableFromInline internal var end = 0

    /// Creates an empty buffer with room for 256 bytes.
    package init() {
        capacity = 256
        unsafe start = .allocate(capacity: 256)
    }

    deinit {
        unsafe start.deallocate()
    }

    /// The number of bytes.
    @inlinable package var count: Int { end }

    /// A copy of the bytes so far.
    package var bytes: [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: start, count: end))
    }

    /// Removes the bytes and keeps the memory.
    @inlinable package mutating func removeAll() {
        end = 0
    }

    /// Makes room for `count` further bytes.
    @inlinable @inline(__always) package mutating func reserve(_ count: Int) {
        if capacity &- end < count { grow(by: count) }
    }

    /// Appends one byte.
    @inlinable @inline(__always) package mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe start[end] = byte
        end &+= 1
    }

    /// Appends a copy of the bytes.
    @inlinable @inline(__always) package mutating func append(_ span: Span<UInt8>) {
        let count = span.count
        reserve(count)
        unsafe span.withUnsafeBufferPointer {
            guard let source = $0.baseAddress else { return }
            unsafe (start + end).update(from: source, count: count)
        }
        end &+= count
    }

    /// Appends the UTF-8 of a literal.
    @inlinable @inline(__always) package mutating func append(_ literal: StaticString) {
        let count = literal.utf8CodeUnitCount
        reserve(count)
        unsafe (start + end).update(from: literal.utf8Start, count: count)
        end &+= count
    }

    /// Appends a member's name in quotes, which needs no escaping, and its colon; before the name a
    /// comma if another member precedes.
    @inlinable @inline(__always)
    package mutating func append(memberNamed name: StaticString, follows: Bool) {
        let count = name.utf8CodeUnitCount
        reserve(count &+ 4)
        var next = unsafe start + end
        unsafe next.pointee = UInt8(ascii: ",")
        if follows { unsafe next += 1 }
        unsafe next[0] = UInt8(ascii: "\"")
        unsafe (next + 1).update(from: name.utf8Start, count: count)
        unsafe next[count &+ 1] = UInt8(ascii: "\"")
        unsafe next[count &+ 2] = UInt8(ascii: ":")
        end &+= count &+ (follows ? 4 : 3)
    }

    /// Appends the decimal digits of a number.
    package mutating func append(decimal value: UInt64) {
        // Most counts of a report.
        if value < 10 { return append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value)) }
        reserve(20)
        var digits = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            digits &+= 1
        }
        end &+= digits
        var position = end
        rest = value
        repeat {
            position &-= 1
            unsafe start[position] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
    }

    /// Appends the bytes of another buffer.
    @inlinable package mutating func append(_ other: borrowing OutputBuffer) {
        reserve(other.end)
        unsafe (start + end).update(from: other.start, count: other.end)
        end &+= other.end
    }

    /// Passes the bytes so far to `body`.
    package func withBytes<Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        try body(unsafe Span(_unsafeStart: start, count: end))
    }

    @usableFromInline internal mutating func grow(by count: Int) {
        let larger = max(2 * capacity, end + count)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        unsafe moved.update(from: start, count: end)
        unsafe start.deallocate()
        unsafe start = moved
        capacity = larger
    }
}
