package import Diagnostics

extension ConfidentialText {
    /// Looks through the lines of a file that is no document.
    ///
    /// The text after the name of a secret is confidential up to the end of its line, and so
    /// are the lines that are indented deeper, and those of a list at the same depth.
    package init(ofLinesIn source: SourceText) {
        self.init()
        let bytes = source.bytes
        var open = OpenKey()
        var start = source.base
        var number = source.firstLine
        while start < bytes.count {
            var end = start
            // A line without a letter has no name.
            var hasLetter = false
            let span = bytes.span
            while end < span.count, span.lineBreak(at: end) == 0 {
                hasLetter = hasLetter || span[end] | 0x20 >= 97 && span[end] | 0x20 <= 122
                end += 1
            }
            if hasLetter || open.depth != nil { addLine(bytes[start..<end], number, &open) }
            start = end + (end < bytes.count ? bytes.span.lineBreak(at: end) : 0)
            number += 1
        }
    }

    /// Looks through a file that cannot be read as YAML: besides what each line reveals by its
    /// names, all text in the lines of a diagnostic is confidential but signs, keys and plain
    /// values.
    package init(ofUnreadable source: SourceText, shownIn diagnostics: [Diagnostic]) {
        self.init(ofLinesIn: source)
        let ranges = diagnostics.flatMap { [$0.range] + $0.notes.compactMap(\.range) }
        guard let last = ranges.map(\.end.line).max() else { return }
        let bytes = source.bytes
        let span = bytes.span
        func line(from start: Int) -> ArraySlice<UInt8> {
            var end = start
            while end < span.count, span.lineBreak(at: end) == 0 { end += 1 }
            return bytes[start..<end]
        }
        var present = line(from: source.base)
        var number = source.firstLine
        while present.startIndex < bytes.count, number <= last {
            let end = present.endIndex
            let next = end < bytes.count ? line(from: end + span.lineBreak(at: end)) : []
            if ranges.contains(where: { $0.start.line <= number && number <= $0.end.line }) {
                addHidden(of: present, before: next, number)
            }
            if end == bytes.count { break }
            present = next
            number += 1
        }
    }

    /// Bytes of the longest line that is looked at: a longer one is hidden as a whole.
    private static let longestShownLine = 1 << 16

    private mutating func addHidden(
        of line: ArraySlice<UInt8>,
        before next: ArraySlice<UInt8>,
        _ number: Int
    ) {
        guard line.count <= Self.longestShownLine else {
            let start = SourcePosition(line: number, column: 1)
            let range = SourceRange(start: start, end: SourcePosition(line: number + 1, column: 1))
            return add(range, Self.plain(line.prefix(Self.longestShownLine)))
        }
        let hidden = LineScreen.hidden(in: line, before: next)
        var position = SourcePosition(line: number, column: 1)
        var index = line.startIndex
        for range in hidden {
            position.column += Self.scalars(in: line[index..<range.lowerBound])
            let start = position
            position.column += Self.scalars(in: line[range])
            index = range.upperBound
            add(SourceRange(start: start, end: position), Self.plain(line[range]))
        }
    }

    /// The key whose value the next lines may continue.
    private struct OpenKey {
        /// Blanks before the name of a secret; nil for none.
        var depth: Int?
        /// Blanks before the key `secrets`, in whose lines names and sources are no secrets.
        var section: Int?
        /// Whether nothing follows the name in its own line.
        var isEmpty = false
        /// Whether the lines are of a command whose options may hold a login or a cookie.
        var isCommand = false
    }

    private mutating func addLine(
        _ line: ArraySlice<UInt8>,
        _ number: Int,
        _ open: inout OpenKey
    ) {
        let (indent, rest) = Self.indentation(of: line)
        if let depth = open.depth,
            rest.isEmpty || indent > depth || open.isEmpty && Self.beginsValue(rest)
                || Self.isTornOff(rest)
        {
            if !rest.isEmpty {
                add(rest, of: line, number)
                Self.secretValue(in: rest).map { addInner($0) }
            }
            return
        }
        open.depth = nil
        if Self.beginsKey(rest) { open.isCommand = false }
        open.isCommand = open.isCommand || NamedSecrets.isCommand(line.span)
        if let section = open.section, !rest.isEmpty, indent <= section { open.section = nil }
        let isSource = open.section != nil
        var value = isSource ? Self.valueOfSource(in: line) : Self.secretValue(in: line)
        var spaced = Self.spacedValue(in: line, isSource ? .source : .line)
        // Of both the first one hides the other, too.
        if let one = value, let other = spaced {
            if one.startIndex <= other.startIndex { spaced = nil } else { value = nil }
        }
        if let value {
            let isSection = value.isEmpty && rest.starts(with: "secrets".utf8)
            if isSection { open.section = indent } else { open.depth = indent }
            open.isEmpty = [nil, UInt8(ascii: "|"), UInt8(ascii: ">")].contains(value.first)
            if !value.isEmpty { add(value, of: line, number) }
            addInner(value)
        }
        if let spaced {
            add(spaced, of: line, number)
            if rest.first != UInt8(ascii: "#") { open.depth = indent }
            open.isEmpty = false
            addInner(spaced)
        } else if value == nil,
            SecretScan.endsWithName(line, isSource ? .source : .line)
                || SecretScan.endsWithOption(rest, ofCommand: open.isCommand)
        {
            (open.depth, open.isEmpty) = (indent, true)
        }
        let end = value?.startIndex ?? spaced?.startIndex ?? line.endIndex
        addNamed(in: line[..<end], number)
        addTornLogin(in: line[..<end], number)
    }

    /// Keeps a login in a URL that a blank, a quotation mark or a comma has torn, up to the last
    /// `@` of the line.
    private mutating func addTornLogin(in line: ArraySlice<UInt8>, _ number: Int) {
        guard let login = URLLogin.torn(in: line) else { return }
        add(login, of: line, number)
        for word in login.split(whereSeparator: { [32, 9, 34, 39, 44].contains($0) }) {
            texts.append(Self.plain(word))
        }
    }

    /// Whether a line below a secret is probably a part of it that a line break has torn off: it is
    /// neither a key, an element of a list nor a comment.
    private static func isTornOff(_ line: ArraySlice<UInt8>) -> Bool {
        switch line.first {
        case nil, UInt8(ascii: "#"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "{"): false
        case UInt8(ascii: "-"):
            line.dropFirst().first.map { $0 != 32 && $0 != 9 && $0 != UInt8(ascii: "-") } ?? false
                ? !beginsKey(line) : line.starts(with: "-----".utf8)
        default: !beginsKey(line)
        }
    }

    /// Whether a line surely begins with a key: a name and a colon before a blank or the line's
    /// end, or a key of the language before any colon.
    private static func beginsKey(_ line: ArraySlice<UInt8>) -> Bool {
        let text = line.drop { $0 == UInt8(ascii: "-") || $0 == 32 || isQuote($0) }
        let name = text.prefix(SecretName.longest).prefix {
            isNameByte($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/")
        }
        guard !name.isEmpty else { return false }
        let behind = text[name.endIndex...].drop { $0 == 32 || isQuote($0) }
        guard behind.first == UInt8(ascii: ":") else { return false }
        guard let next = behind.dropFirst().first, next != 32, next != 9 else { return true }
        return LanguageWords.all.contains(String(decoding: name, as: UTF8.self))
    }

    private static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }

    /// Keeps what YAML leaves out of its tree: values behind names of secrets in comments, which no
    /// message quotes, and values of keys that YAML takes for tags or anchors (`!password: …`).
    mutating func addUnparsed(of source: SourceText) {
        let bytes = source.bytes
        var start = source.base
        var number = source.firstLine
        while start < bytes.count {
            var end = start
            var comment: Int?
            var property: Int?
            while end < bytes.count, bytes.span.lineBreak(at: end) == 0 {
                if property == nil,
                    bytes[end] == UInt8(ascii: "!") || bytes[end] == UInt8(ascii: "&")
                {
                    property = Self.valueOfProperty(bytes[end...])
                }
                if comment == nil, bytes[end] == UInt8(ascii: "#"),
                    end == start || bytes[end - 1] == 32 || bytes[end - 1] == 9
                {
                    comment = end
                }
                end += 1
            }
            if let property, property < end {
                add(bytes[property..<end], of: bytes[start..<end], number)
                let value = bytes[property..<end].drop { $0 == 32 || $0 == 9 }
                noteProperty(at: Self.range(of: value, in: bytes[start..<end], number).start)
            }
            if let comment {
                let text = bytes[comment..<end]
                // A blank before `#` makes a comment of the rest of a login.
                if let login = URLLogin.torn(in: bytes[start..<end]), login.endIndex > comment {
                    let part = login[max(comment, login.startIndex)...]
                    add(part, of: bytes[start..<end], number)
                }
                let found = [Self.secretValue(in: text), Self.spacedValue(in: text)]
                // The first one hides the other, too.
                if let value = found.compactMap(\.self).filter({ !$0.isEmpty })
                    .min(by: { $0.startIndex < $1.startIndex })
                {
                    add(Self.range(of: value, in: bytes[start..<end], number))
                }
            }
            start = end + (end < bytes.count ? bytes.span.lineBreak(at: end) : 0)
            number += 1
        }
    }

    /// The offset behind a tag or an anchor that is the name of a secret and its colon; nil for any
    /// other one.
    private static func valueOfProperty(_ text: ArraySlice<UInt8>) -> Int? {
        let name = text.dropFirst().prefix(SecretName.longest).prefix(while: isNameByte)
        guard name.endIndex < text.endIndex, text[name.endIndex] == UInt8(ascii: ":"),
            SecretName.isOne(String(decoding: name, as: UTF8.self))
        else { return nil }
        return name.endIndex + 1
    }

    /// The columns in front of a line's text, and the text.
    ///
    /// Blanks of other alphabets, and a sign between blanks, are slips: their text belongs where it
    /// seems to stand.
    private static func indentation(
        of line: ArraySlice<UInt8>
    ) -> (columns: Int, rest: ArraySlice<UInt8>) {
        let span = line.span
        let slips: [UInt8] = [":", "=", "&", "*", "!", "@"].map { UInt8(ascii: $0) }
        var (index, columns) = (0, 0)
        while let (scalar, length) = span.scalar(at: index) {
            let isSlip =
                length == 1 && slips.contains(span[index]) && index + 1 < span.count
                && (span[index + 1] == 32 || span[index + 1] == 9)
            guard scalar.properties.isWhitespace || isSlip else { break }
            index += length
            columns += 1
        }
        return (columns, line[(line.startIndex + index)...])
    }

    /// Whether a line that is not indented deeper than the key above it holds that key's value: a
    /// collection, a quoted text, or a text without a key.
    private static func beginsValue(_ line: ArraySlice<UInt8>) -> Bool {
        switch line.first {
        case UInt8(ascii: "-"), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "\""),
            UInt8(ascii: "'"):
            true
        default: !line.contains(UInt8(ascii: ":"))
        }
    }

    /// Keeps the values behind names of secrets in a part of a line.
    private mutating func addNamed(in line: ArraySlice<UInt8>, _ number: Int) {
        var position = SourcePosition(line: number, column: 1)
        var index = line.startIndex
        for range in NamedSecrets.ranges(in: line.span) {
            let part = line[(line.startIndex + range.lowerBound)...].prefix(range.count)
            position.column += Self.scalars(in: line[index..<part.startIndex])
            let start = position
            position.column += Self.scalars(in: part)
            index = part.endIndex
            add(SourceRange(start: start, end: position), Self.plain(part))
        }
    }

    /// Bytes of the longest part: each name in a long line has one.
    private static let longestInner = 256

    /// Keeps what messages may quote of a value: its part up to a comma or bracket, and those
    /// behind further names in it, as in a mapping on one line.
    private mutating func addInner(_ value: ArraySlice<UInt8>) {
        var rest: ArraySlice<UInt8>? = value
        while let value = rest, !value.isEmpty {
            let part = value.prefix(Self.longestInner).prefix {
                $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") && $0 != UInt8(ascii: "]")
            }
            texts += NamedSecrets.words(of: Self.plain(part))
            rest = Self.secretValue(in: value)
        }
    }

    /// A value without blanks, quotes, brackets and the signs of YAML around it.
    private static func plain(_ part: ArraySlice<UInt8>) -> String {
        let text = String(decoding: part, as: UTF8.self)
        let marks: Set<Character> = [
            " ", "\t", "\r", "\"", "'", "[", "]", "{", "}", ",", "&", "!", "*", "#", "<", ">",
        ]
        let plain = text.drop { marks.contains($0) }.reversed().drop { marks.contains($0) }
        return String(plain.reversed())
    }

    private mutating func add(
        _ part: ArraySlice<UInt8>,
        of line: ArraySlice<UInt8>,
        _ number: Int
    ) {
        add(Self.range(of: part, in: line, number), Self.plain(part))
    }

    private static func range(
        of part: ArraySlice<UInt8>,
        in line: ArraySlice<UInt8>,
        _ number: Int
    ) -> SourceRange {
        let column = scalars(in: line[line.startIndex..<part.startIndex]) + 1
        let start = SourcePosition(line: number, column: column)
        var end = start
        end.column += scalars(in: part)
        return SourceRange(start: start, end: end)
    }

    /// As positions count them: a byte that is no UTF-8 is one.
    static func scalars(in bytes: ArraySlice<UInt8>) -> Int {
        let span = bytes.span
        var (count, index) = (0, 0)
        while index < span.count {
            index += span.scalar(at: index)?.length ?? 1
            count += 1
        }
        return count
    }

    /// The text after the first name of a secret and its colon; nil without one.
    private static func secretValue(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var index = line.startIndex
        while index < line.endIndex {
            let start = index
            while index < line.endIndex, isNameByte(line[index]) { index += 1 }
            guard index > start else {
                index += 1
                continue
            }
            let name = String(decoding: line[start..<index], as: UTF8.self)
            var end = index
            while end < line.endIndex, [32, 9, 34, 39].contains(line[end]) { end += 1 }
            guard end < line.endIndex, line[end] == UInt8(ascii: ":"), SecretName.isOne(name) else {
                continue
            }
            let value = line[(end + 1)...].drop { $0 == 32 || $0 == 9 }
            return value
        }
        return nil
    }

    /// The text after the first name of a secret, whatever sign is between them.
    private static func spacedValue(
        in line: ArraySlice<UInt8>,
        _ place: SecretScan.Place = .line
    ) -> ArraySlice<UInt8>? {
        SecretScan.value(in: line.span, place).map {
            line[(line.startIndex + $0.lowerBound)...]
        }
    }

    /// The text in the place of a secret's source, after a name that the section `secrets`
    /// declares; nil for a mapping and for the keys of one.
    private static func valueOfSource(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = String(decoding: line[..<colon], as: UTF8.self).drop { $0 == " " || $0 == "\t" }
        let value = line[(colon + 1)...].drop { $0 == 32 || $0 == 9 }
        guard let first = value.first, first != UInt8(ascii: "{"),
            !SecretTable.table.keys.keys.contains(where: { $0.name == name })
        else { return nil }
        return value
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
