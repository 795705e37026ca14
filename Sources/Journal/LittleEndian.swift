/// Integers in journals, lowest byte first.
extension FixedWidthInteger where Self: Sendable {
    var littleEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> Self($0 * 8)) }
    }

    /// Takes the number off the front; nil when there are too few bytes, which then stay.
    init?(takenFrom bytes: inout ArraySlice<UInt8>) {
        let width = Self.bitWidth / 8
        guard bytes.count >= width else { return nil }
        self = bytes.prefix(width).reversed().reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
        bytes.removeFirst(width)
    }
}
