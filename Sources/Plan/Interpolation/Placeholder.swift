internal import SystemKit
internal import TransferModel

/// Something that shells and template languages fill in and this language takes for text:
/// `{{ name }}`, `$(NAME)` and `$NAME`.
struct Placeholder: Hashable {
    /// The text between the marks, without blanks around it.
    var name: String
    /// With its marks, offsets in UTF-8 in the text.
    var range: Range<Int>
    /// Whether it is between two braces, which no URL and hardly a text has by chance.
    var isBraced: Bool
    /// Whether it is between parentheses, in which shells run a command.
    var isCommand: Bool

    /// The first placeholder at an offset in UTF-8 or after it.
    ///
    /// A name without brackets is one in capitals, such as `$HOME`, or one that `isKnown`: queries
    /// have `$top`. Expressions of the language and doubled dollars are skipped.
    static func first(
        in text: String,
        from start: Int = 0,
        isKnown: (String) -> Bool
    ) -> Placeholder? {
        let bytes = text.utf8.span
        var index = start
        while index + 1 < bytes.count {
            switch (bytes[index], bytes[index + 1]) {
            case (UInt8(ascii: "$"), UInt8(ascii: "$")):
                index += 2
                if index < bytes.count, bytes[index] == UInt8(ascii: "{") { index += 1 }
                continue
            case (UInt8(ascii: "$"), UInt8(ascii: "{")):
                while index < bytes.count, bytes[index] != UInt8(ascii: "}") { index += 1 }
            case (UInt8(ascii: "$"), UInt8(ascii: "(")):
                guard let end = end(of: ")", in: bytes, from: index + 2) else { break }
                return Placeholder(text, index..<end, marks: (2, 1))
            case (UInt8(ascii: "{"), UInt8(ascii: "{")):
                guard let end = end(of: "}}", in: bytes, from: index + 2) else { break }
                return Placeholder(text, index..<end, marks: (2, 2))
            case (UInt8(ascii: "$"), _):
                var end = index + 1
                while end < bytes.count, Expression.isNameByte(bytes[end], in: .env) { end += 1 }
                let found = Placeholder(text, index..<end, marks: (1, 0))
                if isCapital(found.name) || isKnown(found.name) { return found }
            default:
                break
            }
            index += 1
        }
        return nil
    }

    private init(_ text: String, _ range: Range<Int>, marks: (front: Int, back: Int)) {
        let inner = text.slice(range.lowerBound + marks.front..<range.upperBound - marks.back)
        let blank: (Character) -> Bool = { $0 == " " }
        name = String(inner.drop(while: blank).reversed().drop(while: blank).reversed())
        self.range = range
        isBraced = marks.back == 2
        isCommand = marks.back == 1
    }

    /// Whether a URL may have it where it is in `text`: no blank, and no brace before the path;
    /// local URLs may have any.
    func mayBeInURL(_ text: String) -> Bool {
        if DataURL.isMeant(by: text) || FileURL.isMeant(by: text) { return true }
        return !text.slice(range).utf8.contains(UInt8(ascii: " "))
            && (!isBraced || URLText.hasOrigin(text.slice(0..<range.lowerBound)))
    }

    /// The expression that was probably meant; nil when the marks hold more than a name.
    ///
    /// `isKnown` tells the names of variables; the job may still have to declare any other one.
    func likely(isKnown: (String) -> Bool) -> String? {
        var name = self.name[...]
        if isCommand, self.name == "date" || self.name.hasBytePrefix("date ") {
            return "${run.date}"
        }
        if name.first == "." { name = name.dropFirst() }
        var namespace: Expression.Namespace?
        for (prefix, meant) in Self.prefixes where name.lowercased().hasBytePrefix(prefix) {
            name = name.dropFirst(prefix.count)
            namespace = meant
            break
        }
        let plain = String(name)
        guard Expression.isVariableName(plain) else { return nil }
        let isVariable = isKnown(plain) || !Self.isCapital(plain)
        return "${\((namespace ?? (isVariable ? .var : .env)).rawValue).\(plain)}"
    }

    /// The prefixes of names in template languages.
    private static let prefixes: [(String, Expression.Namespace)] = [
        ("env.", .env), ("secret.", .secret), ("secrets.", .secret), ("var.", .var),
        ("vars.", .var), ("variables.", .var), ("inputs.", .var), ("matrix.", .item),
    ]

    /// Two or more capitals, digits and `_`, as environment variables are named.
    private static func isCapital(_ name: String) -> Bool {
        guard name.utf8.count > 1, let first = name.utf8.first, !first.isDigit else {
            return false
        }
        return name.utf8.allSatisfy {
            $0.isUppercase || $0.isDigit || $0 == UInt8(ascii: "_")
        }
    }

    /// The offset after the closing mark, which must be on the same line and not far away.
    private static func end(of mark: String, in bytes: Span<UInt8>, from start: Int) -> Int? {
        let mark = mark.utf8.span
        var index = start
        while index + mark.count <= min(bytes.count, start + longest) {
            if bytes[index] == 10 { return nil }
            if bytes.extracting(index..<index + mark.count).equals(mark) {
                return index + mark.count
            }
            index += 1
        }
        return nil
    }

    /// The most bytes between two marks that still form a pair.
    private static let longest = 80
}
