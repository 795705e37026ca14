internal import SystemKit

/// A pattern that a shell or curl expands and this language takes for text: `*`, `[1-9]`, `{a,b}`
/// and `{1..3}`.
struct ShellPattern {
    /// With its brackets, offsets in UTF-8 in the text.
    var range: Range<Int>
    /// Whether all that it lists are numbers.
    var isOfNumbers = false

    /// The first pattern in the path of a URL; expressions and placeholders are skipped.
    static func first(inPathOf url: String) -> ShellPattern? {
        let bytes = url.utf8.span
        var slashes = 0
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "?"), UInt8(ascii: "#"): return nil
            case UInt8(ascii: "/"): slashes += 1
            case UInt8(ascii: "*") where slashes > 2: return ShellPattern(range: index..<index + 1)
            case UInt8(ascii: "$"):
                let isExpression = index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "{")
                while isExpression, index < bytes.count, bytes[index] != UInt8(ascii: "}") {
                    index += 1
                }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard let end = end(in: bytes, from: index) else { return nil }
                let inner = url.slice(index + 1..<end - 1)
                let parts = parts(of: inner, isClass: bytes[index] == UInt8(ascii: "["))
                if slashes > 2, parts.count > 1 {
                    let isOfNumbers = parts.allSatisfy { Int($0) != nil }
                    return ShellPattern(range: index..<end, isOfNumbers: isOfNumbers)
                }
                index = end - 1
            default: break
            }
            index += 1
        }
        return nil
    }

    /// Whether a text has a mark of a pattern: most have none, and are not looked at again.
    static func mayBe(in bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "*"), UInt8(ascii: "["), UInt8(ascii: "{"): return true
            default: continue
            }
        }
        return false
    }

    /// The values or the ends that the inside of brackets lists; none for a placeholder.
    private static func parts(of inner: Substring, isClass: Bool) -> [Substring] {
        if isClass { return inner.splitAtBytes("-") }
        if inner.utf8.first == UInt8(ascii: "{") { return [] }
        return inner.splitAtBytes(inner.containsBytes("..") ? "." : ",")
    }

    /// The offset behind the bracket that closes the one at an offset; nil where none does.
    private static func end(in bytes: Span<UInt8>, from start: Int) -> Int? {
        let close = bytes[start] == UInt8(ascii: "[") ? UInt8(ascii: "]") : UInt8(ascii: "}")
        var index = start + 1
        while index < bytes.count, bytes[index] != close { index += 1 }
        return index < bytes.count ? index + 1 : nil
    }
}
