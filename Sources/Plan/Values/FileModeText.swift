internal import SystemKit
internal import Diagnostics

/// Permission bits in octal, as chmod takes them: `"0644"`.
enum FileModeText {
    static let pattern = "^0?[0-7]{3}$"

    /// Only read, write and execute: a file from elsewhere is never given its owner's rights
    /// (setuid) or the like.
    static func parse(_ text: String) throws(ValueFault) -> UInt16 {
        let digits =
            text.utf8.count == 4 && text.utf8.first == UInt8(ascii: "0")
            ? text.dropFirst() : text[...]
        guard digits.utf8.count == 3, let mode = UInt16(digits, radix: 8), mode <= 0o777,
            digits.utf8.allSatisfy({ (48...55).contains($0) })
        else {
            let isSpecial = text.utf8.count == 4 && UInt16(text, radix: 8) != nil
            throw ValueFault(
                .badValue,
                isSpecial
                    ? "`\(text.excerpt)` has bits besides those of reading, writing and executing"
                    : "`\(text.excerpt)` is not a file mode",
                help: "write a zero and three octal digits, such as `\"0644\"`"
            )
        }
        return mode
    }

    /// The likely meaning of an integer such as `644` or `0o644`, in the notation of the job file.
    static func likely(_ text: String) -> String? {
        let digits = text.withoutBytePrefix("0o") ?? text[...]
        guard let mode = try? parse(String(digits)) else { return nil }
        return "\"\(mode.padded(to: 4, radix: 8))\""
    }
}
