internal import SystemKit

/// Parses one JSON document from bytes, with its own stack instead of recursion.
struct JSONParser {
    /// The most nested collections, as in JSONDecoder.
    static let deepest = 512
    /// The most values of a document, which limits the memory for a hostile one.
    static let maximumCount = 1_000_000

    /// A collection that is still open.
    private struct Frame {
        var isObject: Bool
        /// The number of values and names before its own.
        var values: Int
        var names: Int

        var end: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }
    }

    private let bytes: [UInt8]
    private var position = 0
    private var frames: [Frame] = []
    /// The values of all open collections, in order.
    private var values: [JSONValue] = []
    /// The names of all open objects, with the end of each.
    private var names: [(text: String, end: Int)] = []
    private var count = 0

    private let mostValues: Int

    init(bytes: [UInt8], mostValues: Int) {
        self.bytes = bytes
        self.mostValues = mostValues
    }

    mutating func document() throws(JSONSyntaxError) -> JSONValue {
        repeat {
            try beginValue()
            try endCollections()
        } while !frames.isEmpty
        guard next == nil, let value = values.popLast() else {
            throw fault("text after the document")
        }
        return value
    }

    /// The next byte except white space.
    private var next: UInt8? {
        mutating get {
            while position < bytes.count {
                switch bytes[position] {
                case 32, 9, 10, 13: position += 1
                default: return bytes[position]
                }
            }
            return nil
        }
    }

    private func fault(_ reason: String) -> JSONSyntaxError {
        JSONSyntaxError(reason: reason, offset: position)
    }

    /// Parses a scalar or an empty collection; opens other collections up to their first scalar.
    private mutating func beginValue() throws(JSONSyntaxError) {
        while true {
            count += 1
            guard count <= mostValues else { throw fault("too many values") }
            switch next {
            case UInt8(ascii: "{"): open(isObject: true)
            case UInt8(ascii: "["): open(isObject: false)
            default:
                values.append(try scalar())
                return
            }
            guard frames.count <= Self.deepest, let frame = frames.last else {
                throw fault("nested too deeply")
            }
            if next == frame.end { return }
            if frame.isObject { try name() }
        }
    }

    private mutating func open(isObject: Bool) {
        frames.append(Frame(isObject: isObject, values: values.count, names: names.count))
        position += 1
    }

    /// Closes the collections that end here, up to a comma before another value.
    private mutating func endCollections() throws(JSONSyntaxError) {
        while let frame = frames.last {
            switch next {
            case frame.end:
                position += 1
                try close(frame)
            case UInt8(ascii: ",") where values.count > frame.values:
                position += 1
                if frame.isObject { try name() }
                return
            default:
                throw fault("expected , or \(Unicode.Scalar(frame.end))")
            }
        }
    }

    private mutating func close(_ frame: Frame) throws(JSONSyntaxError) {
        let value = try value(of: frame)
        frames.removeLast()
        names.removeLast(names.count - frame.names)
        values.removeLast(values.count - frame.values)
        values.append(value)
    }

    /// The value of a frame; separate from `close`, so that no slice outlives it and causes a copy.
    private func value(of frame: Frame) throws(JSONSyntaxError) -> JSONValue {
        let own = values[frame.values...]
        guard frame.isObject else { return .array(Array(own)) }
        let ownNames = names[frame.names...]
        if let (name, end) = Self.repeated(ownNames) {
            // The length of its quotes and characters; escapes only make the real start earlier.
            throw JSONSyntaxError(
                reason: "duplicate name `\(name)`",
                offset: max(0, end - name.utf8.count - 2)
            )
        }
        return .object(zip(ownNames, own).map { JSONValue.Member(name: $0.text, value: $1) })
    }

    private static func repeated(
        _ names: ArraySlice<(text: String, end: Int)>
    ) -> (text: String, end: Int)? {
        // For small objects, which most are, comparing is cheaper than a set.
        if names.count <= 8 {
            return names.indices.first { index in
                names[..<index].contains { $0.text.hasSameBytes(as: names[index].text) }
            }.map { names[$0] }
        }
        var known: Set<ByteText> = []
        return names.first { !known.insert(ByteText($0.text)).inserted }
    }

    private mutating func name() throws(JSONSyntaxError) {
        guard next == UInt8(ascii: "\"") else { throw fault("expected a name") }
        let name = try string()
        names.append((name, position))
        guard next == UInt8(ascii: ":") else { throw fault("expected :") }
        position += 1
    }

    private mutating func scalar() throws(JSONSyntaxError) -> JSONValue {
        switch next {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func word(
        _ word: String,
        _ value: JSONValue
    ) throws(JSONSyntaxError) -> JSONValue {
        guard bytes[position...].starts(with: word.utf8) else { throw fault("unknown word") }
        position += word.utf8.count
        return value
    }

    private mutating func string() throws(JSONSyntaxError) -> String {
        position += 1
        let start = position
        while position < bytes.count, isPlain(bytes[position]) { position += 1 }
        if peek("\"") {
            position += 1
            return try text(bytes[start..<position - 1])
        }
        var units = Array(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return try text(units[...])
            case UInt8(ascii: "\\"): try appendEscape(to: &units)
            case 0..<0x20: throw fault("control character in a string")
            default: units.append(byte)
            }
        }
        throw fault("unterminated string")
    }

    private func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws(JSONSyntaxError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw fault("string that is not UTF-8")
        }
        return text
    }

    private mutating func appendEscape(to units: inout [UInt8]) throws(JSONSyntaxError) {
        guard position < bytes.count else { throw fault("unterminated string") }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): units.append(byte)
        case UInt8(ascii: "b"): units.append(8)
        case UInt8(ascii: "f"): units.append(12)
        case UInt8(ascii: "n"): units.append(10)
        case UInt8(ascii: "r"): units.append(13)
        case UInt8(ascii: "t"): units.append(9)
        case UInt8(ascii: "u"): units.append(contentsOf: String(try unicodeEscape()).utf8)
        default: throw fault("unknown escape")
        }
    }

    private mutating func unicodeEscape() throws(JSONSyntaxError) -> Unicode.Scalar {
        var code = try hexadecimal()
        if (0xD800..<0xDC00).contains(code), bytes[position...].starts(with: "\\u".utf8) {
            position += 2
            let low = try hexadecimal()
            guard (0xDC00..<0xE000).contains(low) else { throw fault("lone surrogate") }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw fault("lone surrogate") }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt32 {
        guard position + 4 <= bytes.count,
            bytes[position..<position + 4].allSatisfy({ $0.hexadecimalValue != nil }),
            let code = UInt32(
                String(decoding: bytes[position..<position + 4], as: UTF8.self),
                radix: 16
            )
        else { throw fault("four hexadecimal digits expected") }
        position += 4
        return code
    }

    /// Reads `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
    private mutating func number() throws(JSONSyntaxError) -> String {
        let start = position
        if peek("-") { position += 1 }
        let isZero = peek("0")
        let integerDigits = digits()
        guard integerDigits > 0, !isZero || integerDigits == 1 else { throw fault("no value") }
        if peek(".") {
            position += 1
            guard digits() > 0 else { throw fault("digits expected") }
        }
        if peek("e") || peek("E") {
            position += 1
            if peek("+") || peek("-") { position += 1 }
            guard digits() > 0 else { throw fault("digits expected") }
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private func peek(_ character: Unicode.Scalar) -> Bool {
        position < bytes.count && bytes[position] == UInt8(ascii: character)
    }

    private mutating func digits() -> Int {
        let start = position
        while position < bytes.count, bytes[position].isDigit { position += 1 }
        return position - start
    }
}

extension JSONValue {
    /// Parses a text; throws the first `JSONSyntaxError`.
    package init(_ text: String) throws(JSONSyntaxError) {
        try self.init(bytes: Array(text.utf8))
    }

    /// Parses UTF-8 bytes without a byte order mark.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - mostValues: The most values in it; nil for a million.
    /// - Throws: The first `JSONSyntaxError`.
    package init(bytes: [UInt8], mostValues: Int? = nil) throws(JSONSyntaxError) {
        var parser = JSONParser(bytes: bytes, mostValues: mostValues ?? JSONParser.maximumCount)
        self = try parser.document()
    }
}
