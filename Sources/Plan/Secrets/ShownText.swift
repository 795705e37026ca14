internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// The text of a file that diagnostics show: parts of its lines, and words in their quotes.
///
/// A message quotes no word that its lines hide. Where values are filled in from elsewhere, it
/// quotes only words that its lines show, names, and words of the language.
struct ShownText {
    /// The words of a line, in small letters.
    private struct Words {
        var shown: Set<String> = []
        var hidden: Set<String> = []
    }

    /// The parts of lines that are not shown, each within a line.
    private(set) var hidden: [SourceRange] = []
    /// The values that are filled in.
    var filled: [SourceRange] = []
    private var lines: [Int: Words] = [:]
    private let names: Set<String>
    /// The names that the file declares.
    private let ids: Set<String>
    /// A diagnostic about more lines is treated as if values were filled in.
    static let fewLines = 16

    /// The words of the language, and a few that messages use as examples.
    private static let ownWords: Set<String> = {
        let words = LanguageWords.all.union(Expression.Namespace.allCases.map(\.rawValue))
        let others =
            ["http", "https", "ws", "wss"] + RunValues.names
            + BodyDigest.Form.allCases.map(\.rawValue)
        return Set(words.union(others).flatMap(Self.words))
    }()

    /// A text with no lines yet; `names` are the names that the file declares.
    init(names: Set<String> = []) {
        self.names = Set(names.flatMap(Self.words))
        ids = names
    }

    /// The numbers of the lines that diagnostics are about.
    static func lines(of diagnostics: [Diagnostic]) -> Set<Int> {
        Set(diagnostics.flatMap { lines(of: $0) })
    }

    private static func lines(of diagnostic: Diagnostic) -> [Int] {
        ranges(of: diagnostic).flatMap { range in
            let last = min(range.end.line, range.start.line + fewLines)
            return Array(range.start.line...max(last, range.start.line))
        }
    }

    private static func ranges(of diagnostic: Diagnostic) -> [SourceRange] {
        [diagnostic.range] + diagnostic.notes.compactMap(\.range)
    }

    /// Adds a line.
    ///
    /// - Parameters:
    ///   - number: Its number.
    ///   - bytes: The line without its line break.
    ///   - parts: The indices that are not shown, ascending.
    ///   - texts: The values of the hidden parts where they are written in another way.
    mutating func add(
        _ number: Int,
        _ bytes: ArraySlice<UInt8>,
        hiding parts: [Range<Int>],
        texts: [String] = []
    ) {
        var words = Words(hidden: Set(texts.flatMap(Self.words)))
        var position = SourcePosition(line: number, column: 1)
        var index = bytes.startIndex
        for part in parts {
            words.shown.formUnion(Self.words(of: bytes[index..<part.lowerBound]))
            words.hidden.formUnion(Self.words(of: bytes[part]))
            position.column += Self.scalars(in: bytes[index..<part.lowerBound])
            let start = position
            position.column += Self.scalars(in: bytes[part])
            index = part.upperBound
            hidden.append(SourceRange(start: start, end: position))
        }
        words.shown.formUnion(Self.words(of: bytes[index...]))
        lines[number] = words
    }

    /// The diagnostic as it is shown.
    func quoting(_ diagnostic: Diagnostic) -> Diagnostic {
        let ranges = Self.ranges(of: diagnostic)
        let words = Set(Self.lines(of: diagnostic)).compactMap { lines[$0] }
        let isFilled =
            diagnostic.isAboutData
            || ranges.contains { $0.end.line - $0.start.line > Self.fewLines }
            || filled.contains { value in
                value.start <= diagnostic.range.end && diagnostic.range.start <= value.end
            }
        return diagnostic.mappingQuotes(
            { shown($0, words, isFilled: isFilled) },
            // The names of fields are data, too.
            elsewhere: { shown($0, words, isFilled: diagnostic.isAboutData) }
        )
    }

    // MARK: - Quotes

    /// A quote with dots from the first word on that is not shown.
    private func shown(_ quote: String, _ lines: [Words], isFilled: Bool) -> String {
        if LanguageWords.ofJobFiles.examples.contains(quote) { return quote }
        let bytes = Array(quote.utf8)
        // The id of a task of a `forEach`.
        if quote.hasByteSuffix("]"), let id = quote.cut(atFirst: "[")?.0, ids.contains(String(id)) {
            return quote
        }
        if isFilled, quote.beginsWithScheme {
            let mayBeLogin = bytes.contains(UInt8(ascii: "@"))
            let length = PublicValues.lengthOfURL(bytes[...], mayBeLogin)
            if length == bytes.count { return quote }
            return String(decoding: bytes[..<length], as: UTF8.self) + Diagnostic.dots
        }
        if bytes.contains(UInt8(ascii: "%")) {
            // Values in a URL are percent-encoded.
            let decoded = String(decoding: PercentCoding.decodeLeniently(bytes), as: UTF8.self)
            let isRefused = refused(in: decoded, lines, isFilled: isFilled) != nil
            if decoded != quote, isRefused { return Diagnostic.dots }
        }
        guard let place = refused(in: quote, lines, isFilled: isFilled) else { return quote }
        return String(quote.unicodeScalars[..<place]) + Diagnostic.dots
    }

    /// Where the first word begins that is not shown; nil when all are.
    private func refused(in quote: String, _ lines: [Words], isFilled: Bool) -> String.Index? {
        let scalars = quote.unicodeScalars
        var index = scalars.startIndex
        while index < scalars.endIndex {
            guard Self.isPartOfWord(scalars[index]) else {
                index = scalars.index(after: index)
                continue
            }
            let end = scalars[index...].firstIndex { !Self.isPartOfWord($0) } ?? scalars.endIndex
            let word = String(scalars[index..<end]).lowercased()
            let isCut = scalars[end...].elementsEqual("…".unicodeScalars)
            guard isShown(word, isCut: isCut, lines, isFilled: isFilled) else { return index }
            index = end
        }
        return nil
    }

    private func isShown(_ word: String, isCut: Bool, _ lines: [Words], isFilled: Bool) -> Bool {
        if word.utf8.count == 1 || names.contains(word) || Self.ownWords.contains(word) {
            return true
        }
        for line in lines {
            if line.shown.contains(word) { return true }
            if isCut, line.shown.contains(where: { $0.hasBytePrefix(word) }) { return true }
        }
        if isCut || lines.contains(where: { $0.hidden.contains(word) }) { return false }
        return !isFilled || word.utf8.count <= 2 || PublicValues.isNumber(Array(word.utf8)[...])
    }

    // MARK: - Words

    private static func words(of bytes: ArraySlice<UInt8>) -> Set<String> {
        words(of: String(decoding: bytes, as: UTF8.self))
    }

    /// The runs of letters and digits of a text, in small letters.
    private static func words(of text: String) -> Set<String> {
        let runs = text.unicodeScalars.split { !isPartOfWord($0) }
        return Set(runs.map { String($0).lowercased() })
    }

    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        case "\0"..."\u{7F}": false
        default:
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || scalar.properties.generalCategory == .nonspacingMark
        }
    }

    /// As positions count them: a byte that is no UTF-8 is one.
    private static func scalars(in bytes: ArraySlice<UInt8>) -> Int {
        let span = bytes.span
        var (count, index) = (0, 0)
        while index < span.count {
            index += span.scalar(at: index)?.length ?? 1
            count += 1
        }
        return count
    }
}

extension String {
    /// Whether the text begins with a scheme and two slashes.
    fileprivate var beginsWithScheme: Bool {
        let scheme = utf8.prefix(8).prefix(while: \.isAlpha)
        return !scheme.isEmpty && utf8[scheme.endIndex...].starts(with: "://".utf8)
    }
}
