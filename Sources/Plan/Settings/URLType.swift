internal import JobFile
internal import SystemKit
internal import TransferModel

/// The URL that a task requests.
enum URLType {
    /// An http or https URL.
    static let type = ValueType<TransferURL>(.text(pattern: URLText.pattern, example: example)) {
        $0.url($1)
    }

    private static let example = "https://example.com/file"

    /// A URL that is a secret: its path lets a client post there.
    static let ofWebhook = ValueType<TransferURL>(.credential) { $0.url($1) }
        .checkingText()

    /// The URL of a task itself, which may also be local, of a file server or of a custom scheme.
    static let task = ValueType<TransferURL>(
        .text(pattern: URLText.taskPattern, example: example)
    ) { reader, field in
        let schemes = reader.customSchemes
        return reader.url(field) { (text, other) throws(ValueFault) in
            try URLText.parseTask(text, like: other, schemes)
        }
    }
    .checkingText()
}

extension ValueType where Value == TransferURL {
    /// The same URLs, with warnings of text that other tools expand; a placeholder that no URL can
    /// have is reported in place of its characters.
    func checkingText() -> ValueType {
        ValueType(shape) { [read] reader, field in
            guard !reader.hasCheckedTexts else { return read(&reader, field) }
            URLType.warnOfPattern(in: field, &reader)
            let isURL = reader.isFaultless {
                Slips.warnOfPlaceholders(in: field, isURL: true, &$0)
            }
            return isURL ? read(&reader, field) : nil
        }
    }
}

extension URLType {
    /// Warns of the first pattern of a shell or of curl in a URL.
    fileprivate static func warnOfPattern(in field: Field, _ reader: inout Reader) {
        guard reader.faults.log.takesWarnings, reader.document.kind(of: field.node) == .scalar,
            reader.document.withBytes(of: field.node, ShellPattern.mayBe(in:))
        else { return }
        let text = reader.document.text(of: field.node)
        guard let found = ShellPattern.first(inPathOf: text) else { return }
        let form = found.isOfNumbers ? "range: [1, 3]" : "items: [a, b]"
        reader.faults.log.warn(
            .suspiciousPlaceholder,
            "`\(field.name)`: `\(text.slice(found.range))` is plain text here, not a pattern",
            at: reader.faults.range(of: found.range, in: text, field.node),
            help: "for several URLs, write `forEach: { \(form) }` and `${item}` in the URL"
        )
    }
}

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
        bytes.contains(UInt8(ascii: "*")) || bytes.contains(UInt8(ascii: "["))
            || bytes.contains(UInt8(ascii: "{"))
    }

    /// The values or the ends that the inside of brackets lists; none for a placeholder.
    private static func parts(of inner: Substring, isClass: Bool) -> [Substring] {
        if isClass { return inner.splitAtBytes("-") }
        if inner.utf8.first == UInt8(ascii: "{") { return [] }
        return inner.splitAtBytes(inner.containsBytes("..") ? "." : ",")
    }

    /// The offset after the bracket that closes the bracket at an offset; nil when it stays open.
    private static func end(in bytes: Span<UInt8>, from start: Int) -> Int? {
        let close = bytes[start] == UInt8(ascii: "[") ? UInt8(ascii: "]") : UInt8(ascii: "}")
        var index = start + 1
        while index < bytes.count, bytes[index] != close { index += 1 }
        return index < bytes.count ? index + 1 : nil
    }
}
