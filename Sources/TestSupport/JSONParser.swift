/// Reads one JSON document from bytes.
struct JSONParser {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func document() throws(JSONValue.Fault) -> JSONValue {
        let value = try value()
        guard next == nil else { throw fault("text after the document") }
        return value
    }

    /// The next byte that is not white space.
    private var next: UInt8? {
        mutating get {
            while position < bytes.count, [32, 9, 10, 13].contains(bytes[position]) {
                position += 1
            }
            return position < bytes.count ? bytes[position] : nil
        }
    }

    private func fault(_ reason: String) -> JSONValue.Fault {
        JSONValue.Fault(reason: reason, offset: position)
    }

    private mutating func value() throws(JSONValue.Fault) -> JSONValue {
        depth += 1
        defer { depth -= 1 }
        guard depth <= 512 else { throw fault("nested too deeply") }
        switch next {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
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
    ) throws(JSONValue.Fault) -> JSONValue {
        guard bytes[position...].starts(with: word.utf8) else { throw fault("unknown word") }
        position += word.utf8.count
        return value
    }

    private mutating func object() throws(JSONValue.Fault) -> JSONValue {
        position += 1
        var members: [JSONValue.Member] = []
        var names: Set<String> = []
        while next != UInt8(ascii: "}") {
            if !members.isEmpty { try expect(",") }
            guard next == UInt8(ascii: "\"") else { throw fault("expected a name") }
            let name = try string()
            guard names.insert(name).inserted else { throw fault("repeated name \(name)") }
            try expect(":")
            members.append(JSONValue.Member(name: name, value: try value()))
        }
        position += 1
        return .object(members)
    }

    private mutating func array() throws(JSONValue.Fault) -> JSONValue {
        position += 1
        var elements: [JSONValue] = []
        while next != UInt8(ascii: "]") {
            if !elements.isEmpty { try expect(",") }
            elements.append(try value())
        }
        position += 1
        return .array(elements)
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(JSONValue.Fault) {
        guard next == UInt8(ascii: character) else { throw fault("expected \(character)") }
        position += 1
    }

    private mutating func string() throws(JSONValue.Fault) -> String {
        position += 1
        var units: [UInt8] = []
        while true {
            guard position < bytes.count else { throw fault("string without an end") }
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: units, as: UTF8.self) else {
                    throw fault("string that is not UTF-8")
                }
                return text
            case UInt8(ascii: "\\"): units.append(contentsOf: try escape())
            case 0..<0x20: throw fault("control character in a string")
            default: units.append(byte)
            }
        }
    }

    private mutating func escape() throws(JSONValue.Fault) -> [UInt8] {
        guard position < bytes.count else { throw fault("string without an end") }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [8]
        case UInt8(ascii: "f"): return [12]
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw fault("unknown escape")
        }
    }

    private mutating func unicodeEscape() throws(JSONValue.Fault) -> [UInt8] {
        var code = try hexadecimal()
        if (0xD800..<0xDC00).contains(code), bytes[position...].starts(with: "\\u".utf8) {
            position += 2
            let low = try hexadecimal()
            guard (0xDC00..<0xE000).contains(low) else { throw fault("lone surrogate") }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw fault("lone surrogate") }
        return Array(String(scalar).utf8)
    }

    private mutating func hexadecimal() throws(JSONValue.Fault) -> UInt32 {
        guard position + 4 <= bytes.count,
            bytes[position..<position + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let code = UInt32(
                String(decoding: bytes[position..<position + 4], as: UTF8.self),
                radix: 16
            )
        else { throw fault("four hexadecimal digits expected") }
        position += 4
        return code
    }

    /// Reads `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
    private mutating func number() throws(JSONValue.Fault) -> String {
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
        while position < bytes.count, (48...57).contains(bytes[position]) { position += 1 }
        return position - start
    }
}
