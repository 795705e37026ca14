/// The ids of tasks and the names of sessions.
enum TaskID {
    static let pattern = "^[A-Za-z0-9][A-Za-z0-9._-]*$"

    /// Whether the bytes match the pattern.
    static func isValid(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, isAlphanumeric(bytes[0]) else { return false }
        for index in bytes.indices where !isAlphanumeric(bytes[index]) {
            switch bytes[index] {
            case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): continue
            default: return false
            }
        }
        return true
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (97...122).contains(byte | 0x20)
    }
}
