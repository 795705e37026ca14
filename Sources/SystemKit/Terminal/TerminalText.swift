/// Text as a terminal shows it.
package enum TerminalText {
    /// Foreign text as one line that neither a terminal nor a log service obeys.
    ///
    /// Foreign text is all text from others: file names, ids, texts of servers, programs and the
    /// system. Controls, line breaks and direction marks become escapes such as `\n` and `\u{1B}`,
    /// invalid bytes `\xFF`. An initial `::` and the first `#` pair of `##[…]` are broken up,
    /// because GitHub Actions and Azure Pipelines read commands from logs there.
    package static func harmless(_ text: String) -> String {
        guard mayBeHarmful(text.utf8.span) else { return text }
        let scalars = Array(text.shownSystemText.unicodeScalars)
        var result = String.UnicodeScalarView()
        let command = commandColon(scalars)
        for (index, scalar) in scalars.enumerated() {
            if isHarmful(scalar) || index == command || isCommandMark(scalars, at: index) {
                result.append(contentsOf: escaped(scalar).unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// Foreign text of several lines, each made harmless.
    package static func harmlessLines(_ text: String) -> String {
        text.splitAtBytes("\n", omittingEmpty: false)
            .map { harmless(String($0)) }
            .joined(separator: "\n")
    }

    /// A JSON document whose strings have escapes for harmful text; nil when nothing is harmful.
    ///
    /// Outside of strings JSON is printable ASCII and line feeds, so the document keeps its
    /// meaning.
    package static func harmlessJSON(_ document: Span<UInt8>) -> [UInt8]? {
        guard mayBeHarmful(document, exceptLineFeeds: true) else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(document.count + 64)
        var index = 0
        while index < document.count {
            // Most of a document is printable ASCII, which goes over in pieces.
            let end = document.endOfPrintableASCII(from: index)
            for mark in index..<end where isCommandMark(document, at: mark) {
                result.append(document.extracting(index..<mark))
                appendEscape("#", to: &result)
                index = mark + 1
            }
            result.append(document.extracting(index..<end))
            index = end
            while index < document.count, document[index] == 0x0A {
                result.append(0x0A)
                index += 1
            }
            var others: [UInt8] = []
            while index < document.count, document[index] != 0x0A,
                document[index] < 0x20 || document[index] >= 0x7F
            {
                others.append(document[index])
                index += 1
            }
            for scalar in String(decoding: others, as: UTF8.self).unicodeScalars {
                if isHarmful(scalar) {
                    appendEscape(scalar, to: &result)
                } else {
                    result.append(contentsOf: String(scalar).utf8)
                }
            }
        }
        return result
    }

    private static func appendEscape(_ scalar: Unicode.Scalar, to json: inout [UInt8]) {
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
            json.append(contentsOf: "\\u\(unit.padded(to: 4, radix: 16))".utf8)
        }
    }

    /// The escape for a harmful scalar: `\n`, `\u{1B}`.
    package static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }

    /// Whether the scalar would control a terminal or mislead its reader.
    ///
    /// These are controls, line separators, and format characters, which hide or reverse text;
    /// joiners pass, because scripts and emoji need them.
    package static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x7F else { return scalar.value < 0x20 }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: return true
        case .format: return scalar.value != 0x200C && scalar.value != 0x200D
        default: return false
        }
    }

    /// Whether the second `#` of `##[`, `##vso[` or the like is at `index`: a command for Azure
    /// Pipelines and older GitHub runners, anywhere in a line.
    package static func isCommandMark(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
        guard scalars[index] == "#", index > 0, scalars[index - 1] == "#" else { return false }
        let end = scalars[(index + 1)...].firstIndex { !$0.isASCIILetter } ?? scalars.endIndex
        return end < scalars.endIndex && scalars[end] == "["
    }

    private static func isCommandMark(_ text: Span<UInt8>, at index: Int) -> Bool {
        guard text[index] == UInt8(ascii: "#"), index > 0, text[index - 1] == UInt8(ascii: "#")
        else { return false }
        var end = index + 1
        while end < text.count, text[end].isAlpha { end += 1 }
        return end < text.count && text[end] == UInt8(ascii: "[")
    }

    /// The first colon of a `::` after white space only: a workflow command of GitHub Actions.
    private static func commandColon(_ scalars: [Unicode.Scalar]) -> Int? {
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            scalars[first...].starts(with: ["::"].flatMap(\.unicodeScalars))
        else { return nil }
        return first
    }

    /// Whether each scalar needs a check: most texts are plain.
    private static func mayBeHarmful(_ text: Span<UInt8>, exceptLineFeeds: Bool = false) -> Bool {
        var previous: UInt8 = 0
        for index in text.indices {
            let byte = text[index]
            if byte < 0x20 || byte >= 0x7F {
                if byte != 0x0A || !exceptLineFeeds { return true }
            } else if byte == previous, byte == UInt8(ascii: "#") || byte == UInt8(ascii: ":") {
                return true
            }
            previous = byte
        }
        return false
    }

    /// The text with an escape for each scalar beyond ASCII, for terminals that show no others.
    package static func ascii(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "‹": result += "<"
            case "›": result += ">"
            case "…": result += "..."
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default: result += escaped(scalar)
            }
        }
        return result
    }

    /// The number of cells of harmless text.
    package static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// The text in exactly `columns` cells: padded with spaces or cut with a final `mark`.
    package static func fitted(_ text: String, columns: Int, mark: Character = "…") -> String {
        padded(truncated(text, columns: columns, mark: mark), columns: columns)
    }

    /// The text with spaces after it, in at least `columns` cells.
    package static func padded(_ text: String, columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - width(text)))
    }

    /// The text in at most `columns` cells, cut with a final `mark` of one cell if needed.
    package static func truncated(_ text: String, columns: Int, mark: Character = "…") -> String {
        guard width(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var result = ""
        var used = 0
        for character in text {
            used += width(character)
            if used > columns - 1 { break }
            result.append(character)
        }
        return result + String(mark)
    }

    /// An id in at most `columns` cells, cut in its middle, because ids often share a beginning.
    ///
    /// The cut moves to the front as far as a final `[key]` needs, which tells the tasks of one
    /// `forEach` apart.
    package static func truncatedID(_ id: String, columns: Int, mark: Character = "…") -> String {
        guard width(id) > columns, columns > 2 else {
            return truncated(id, columns: columns, mark: mark)
        }
        let key = id.hasByteSuffix("]") ? id.firstByteIndex(of: "[").map { id[$0...] } : nil
        let most = min(max((columns - 1) / 2, width(String(key ?? ""))), columns - 2)
        var start = id.endIndex
        var used = 0
        while start > id.startIndex {
            let previous = id.index(before: start)
            used += width(id[previous])
            if used > most { break }
            start = previous
        }
        let tail = String(id[start...])
        return truncated(id, columns: columns - width(tail), mark: mark) + tail
    }

    private static func width(_ character: Character) -> Int {
        character.unicodeScalars.reduce(0) { max($0, width($1)) }
    }

    /// 2 for the wide scalars of Unicode Standard Annex #11, 0 for combining marks.
    private static func width(_ scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 1 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default:
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: return 0
            default: return scalar.properties.isEmojiPresentation ? 2 : 1
            }
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isASCIILetter: Bool { isASCII && properties.isAlphabetic }
}
