internal import SystemKit

/// What a text in the place of a secret may reveal of it: everything but names of values, such as
/// those in `${secret.name}`, `$NAME` and `{{ name }}`, and the scheme in front of a token.
struct RevealingText {
    /// The parts of the text that may belong to the secret, without blanks around them.
    private(set) var parts: [String] = []

    /// Whether any part may be the secret.
    var isRevealing: Bool { !parts.isEmpty }

    /// Takes a text apart.
    ///
    /// - Parameters:
    ///   - text: A value, or the part of one behind the name of a secret.
    ///   - names: Keys and ids of the file: `${var.token-x}` is the name `token` and a fallback in
    ///     the manner of shells if only `token` is one of them.
    init(_ text: String, names: Set<String> = []) {
        let bytes = text.utf8.span
        var start = 0
        var index = 0
        var unclosed = Unit.Unclosed()
        while index < bytes.count {
            guard let unit = Unit(in: text, bytes, at: index, names, &unclosed) else {
                index += bytes[index] == UInt8(ascii: "$") && Unit.isDoubled(bytes, index) ? 3 : 1
                continue
            }
            add(text.slice(start..<index))
            parts += unit.parts
            index = unit.end
            start = index
        }
        if start < bytes.count { add(text.slice(start..<bytes.count)) }
    }

    /// The words of the parts, in small letters: text between blanks, and text between all signs.
    var words: Set<String> {
        var words: Set<String> = []
        for part in parts {
            let part = part.lowercased()
            for run in part.split(whereSeparator: \.isWhitespace) {
                words.insert(Self.trimmed(run))
                words.formUnion(
                    run.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
                )
            }
        }
        return words.filter { $0.utf8.count > 1 }
    }

    private static func trimmed(_ run: Substring) -> String {
        let marks: Set<Character> = [
            "\"", "'", "`", "(", ")", "[", "]", "{", "}", "<", ">", ",", ";", ":", "=", "&", "*",
            "!", "#", "|", "$",
        ]
        let front = run.drop { marks.contains($0) }
        return String(front.reversed().drop { marks.contains($0) }.reversed())
    }

    private mutating func add(_ part: Substring) {
        var part = part.drop { $0.isWhitespace }
        if let blank = part.firstByteIndex(of: " "),
            SecretName.isScheme(String(part[...blank]))
        {
            part = part[blank...].drop { $0.isWhitespace }
        }
        if !part.isEmpty { parts.append(String(part)) }
    }
}

extension RevealingText {
    /// An expression, or a placeholder of another tool.
    private struct Unit {
        /// The offset behind it.
        let end: Int
        /// What it may reveal: a fallback, or what follows its name.
        let parts: [String]

        /// Up to where no mark closes what begins there: a search of each line is linear.
        struct Unclosed {
            var brace = 0
            var braces = 0
        }

        /// Whether `$${` begins at an index: text.
        static func isDoubled(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
            index + 2 < bytes.count && bytes[index + 1] == UInt8(ascii: "$")
                && bytes[index + 2] == UInt8(ascii: "{")
        }

        /// Reads what begins at an index; nil where that is no unit.
        init?(
            in text: String,
            _ bytes: Span<UInt8>,
            at index: Int,
            _ names: Set<String>,
            _ unclosed: inout Unclosed
        ) {
            guard index + 1 < bytes.count else { return nil }
            let isDollar = bytes[index] == UInt8(ascii: "$")
            guard isDollar || bytes[index] == UInt8(ascii: "{"), !Self.isDoubled(bytes, index)
            else { return nil }
            switch bytes[index + 1] {
            case UInt8(ascii: "{"):
                let isPair =
                    !isDollar || index + 2 < bytes.count && bytes[index + 2] == UInt8(ascii: "{")
                let last =
                    isPair
                    ? Self.close(0x7D, 2, in: bytes, from: index + 2, &unclosed.braces)
                    : Self.close(0x7D, 1, in: bytes, from: index + 2, &unclosed.brace)
                guard let last = last ?? (isDollar ? bytes.count : nil) else { return nil }
                end = last
                let unit = String(text.slice(index..<end))
                if isDollar, let expression = Self.expression(unit) {
                    parts = [expression.fallback].compactMap(\.self)
                    return
                }
                let inner = unit.drop { $0 == "$" || $0 == "{" || $0 == " " || $0 == "." }
                let isAlone = Self.isAlone(index..<end, in: bytes)
                parts = Self.parts(of: inner, isAlone, names)
            case UInt8(ascii: "(") where isDollar:
                var last = index + 2
                while last < bytes.count, Self.isNameByte(bytes[last]) { last += 1 }
                guard last > index + 2, last < bytes.count, bytes[last] == UInt8(ascii: ")"),
                    Self.isAlone(index..<last + 1, in: bytes)
                else { return nil }
                (end, parts) = (last + 1, [])
            default:
                guard isDollar else { return nil }
                var last = index + 1
                while last < bytes.count, Self.isNameByte(bytes[last]) { last += 1 }
                guard last > index + 1, Self.isAlone(index..<last, in: bytes) else { return nil }
                (end, parts) = (last, [])
            }
        }

        private static func expression(_ text: String) -> Expression? {
            let template = Template(text)
            guard template.faults.isEmpty, template.pieces.count == 1,
                case .expression(let expression) = template.pieces[0]
            else { return nil }
            return expression
        }

        /// What a faulty expression holds besides the name of a value.
        private static func parts(
            of content: Substring,
            _ isAlone: Bool,
            _ names: Set<String>
        ) -> [String] {
            var name = content.prefix { $0.isASCII && ($0.isLetter || $0 == "_") }
            var rest = content[name.endIndex...]
            let gap = rest.prefix { $0 == " " || $0 == "." || $0 == ":" || $0 == "[" || $0 == "\"" }
            let behind = rest[gap.endIndex...]
            // `env.NAME`, also `env:NAME`, `env[NAME]` and `env .NAME`.
            let hasNamespace =
                (gap == "."
                    || gap.contains { $0 == ":" || $0 == "[" || $0 == "." }
                        && !SecretName.isOne(String(name)))
                && behind.first.map { $0.isLetter || $0 == "_" } == true
            if hasNamespace {
                let isEnvironment = name.lowercased().hasBytePrefix("env")
                name = behind.prefix { character in
                    guard character.isASCII else { return false }
                    return character.isLetter || character.isNumber || character == "_"
                        || (character == "." || character == "-") && !isEnvironment
                }
                name = withoutFallback(name, names)
                rest = behind[name.endIndex...]
            } else {
                // `PW2` in `${PW2:-x}`: the name of a secret may have digits.
                let long = content.prefix {
                    $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")
                }
                let isName = isAlone && !name.isEmpty && name.endIndex == long.endIndex
                guard isName || SecretName.isOne(String(long)) else { return [plain(content)] }
                rest = content[long.endIndex...]
            }
            return rest.contains { $0.isLetter || $0.isNumber } ? [plain(rest)] : []
        }

        /// The name in `API_KEY-x`, and in `token-x` where only `token` is a name of the file.
        private static func withoutFallback(
            _ name: Substring,
            _ names: Set<String>
        ) -> Substring {
            guard let hyphen = name.firstByteIndex(of: "-"), !names.contains(String(name)) else {
                return name
            }
            let front = name[..<hyphen]
            let isCapital = !front.contains { $0.isLowercase } && front.utf8.count > 1
            return isCapital || names.contains(String(front)) ? front : name
        }

        private static func plain(_ text: Substring) -> String {
            String(text.reversed().drop { $0 == "}" || $0 == " " }.reversed())
        }

        /// A letter, or `_`: a name with digits or other signs may be the secret itself.
        private static func isNameByte(_ byte: UInt8) -> Bool {
            switch byte {
            case 65...90, 97...122, UInt8(ascii: "_"): true
            default: false
            }
        }

        /// The offset behind the next closing mark in the line, which is a byte once or twice.
        private static func close(
            _ byte: UInt8,
            _ count: Int,
            in bytes: Span<UInt8>,
            from start: Int,
            _ unclosed: inout Int
        ) -> Int? {
            guard start >= unclosed else { return nil }
            var index = start
            while index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
                if bytes[index] == byte,
                    count == 1 || index + 1 < bytes.count && bytes[index + 1] == byte
                {
                    return index + count
                }
                index += 1
            }
            unclosed = index
            return nil
        }

        /// Whether no letter or digit touches a stretch.
        private static func isAlone(_ range: Range<Int>, in bytes: Span<UInt8>) -> Bool {
            func isWord(_ index: Int) -> Bool {
                guard bytes.indices.contains(index) else { return false }
                switch bytes[index] {
                case 48...57, 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...:
                    return true
                default: return false
                }
            }
            return !isWord(range.lowerBound - 1) && !isWord(range.upperBound)
        }
    }
}
