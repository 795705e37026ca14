/// Finds numbers by texts that are kept elsewhere: eight bytes a slot instead of a dictionary of
/// strings.
///
/// Uses open addressing with linear probing; a full index takes at most half of its slots.
struct TextIndex: Sendable {
    /// Half of an entry's hash above its number + 1; 0 is free.
    private var slots: [UInt64] = []
    private var count = 0

    init(capacity: Int) {
        slots = [UInt64](repeating: 0, count: max(16, 2 * capacity + 1))
    }

    /// The entry of a hash for which `isEqual` holds.
    func find(_ hash: UInt64, _ isEqual: (Int) -> Bool) -> Int? {
        var slot = firstSlot(hash)
        while slots[slot] != 0 {
            if (slots[slot] ^ hash) >> 32 == 0 {
                let number = Int(slots[slot] & 0xFFFF_FFFF) - 1
                if isEqual(number) { return number }
            }
            slot = next(slot)
        }
        return nil
    }

    /// Adds an entry; none beyond the capacity.
    mutating func insert(_ number: Int, hash: UInt64) {
        guard count * 3 < slots.count * 2 else { return }
        var slot = firstSlot(hash)
        while slots[slot] != 0 { slot = next(slot) }
        slots[slot] = (hash & ~0xFFFF_FFFF) | UInt64(UInt32(truncatingIfNeeded: number + 1))
        count += 1
    }

    /// The length of the longest sequence of taken slots, which bounds a search.
    var longestRun: Int {
        slots.split(separator: 0, omittingEmptySubsequences: true).map(\.count).max() ?? 0
    }

    private func firstSlot(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: ((hash & 0xFFFF_FFFF) &* UInt64(slots.count)) >> 32)
    }

    private func next(_ slot: Int) -> Int { slot + 1 == slots.count ? 0 : slot + 1 }
}

extension Span<UInt8> {
    /// Whether one of the bytes is a control character of ASCII.
    var hasControlByte: Bool {
        for index in indices where self[index] < 0x20 || self[index] == 0x7F { return true }
        return false
    }
}
