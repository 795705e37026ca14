/// Checks text that arrives in pieces as UTF-8 (RFC 3629 §4), up to its first wrong byte.
///
/// The syntax of RFC 3629 as bounds of the byte after the first one of a character:
///
/// | first byte | bytes in all | second byte | excludes |
/// | --- | --- | --- | --- |
/// | C2–DF | 2 | 80–BF | |
/// | E0 | 3 | A0–BF | characters with a shorter form |
/// | E1–EC, EE, EF | 3 | 80–BF | |
/// | ED | 3 | 80–9F | surrogates |
/// | F0 | 4 | 90–BF | characters with a shorter form |
/// | F1–F3 | 4 | 80–BF | |
/// | F4 | 4 | 80–8F | numbers above 10FFFF |
package struct UTF8Progress: Sendable, Hashable {
    /// Bytes that the last character still needs, 0 to 3.
    private var missing = 0
    /// The bounds of the next byte where a character needs more.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Creates the progress of a text without bytes.
    package init() {}

    /// Whether the text may end here.
    package var isComplete: Bool { missing == 0 }

    /// Checks the bytes that follow; returns the index of the first wrong one, or nil.
    package mutating func firstFault(in bytes: Span<UInt8>) -> Int? {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if missing > 0 {
                guard lowest <= byte, byte <= highest else { return index }
                missing -= 1
                (lowest, highest) = (0x80, 0xBF)
                index += 1
            } else if byte < 0x80 {
                index = bytes.endOfASCII(from: index)
            } else {
                guard begin(byte) else { return index }
                index += 1
            }
        }
        return nil
    }

    /// Begins a character of several bytes; false if none begins so.
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: missing = 1
        case 0xE0...0xEF: missing = 2
        case 0xF0...0xF4: missing = 3
        default: return false
        }
        switch byte {
        case 0xE0: lowest = 0xA0
        case 0xED: highest = 0x9F
        case 0xF0: lowest = 0x90
        case 0xF4: highest = 0x8F
        default: break
        }
        return true
    }
}
