internal import SystemKit

/// The ids of tasks and the names of sessions.
enum TaskID {
    static let pattern = "^[A-Za-z0-9][A-Za-z0-9._-]*$"

    /// Whether the bytes match the pattern.
    static func isValid(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes[0].isAlphanumeric else { return false }
        for index in bytes.indices where !bytes[index].isAlphanumeric {
            switch bytes[index] {
            case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): continue
            default: return false
            }
        }
        return true
    }
}
