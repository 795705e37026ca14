package import Diagnostics
package import JobFile
internal import SystemKit
internal import TransferModel

/// The parts of a job file that are hidden where its lines are shown or quoted: the values of keys
/// that hold secrets, and logins in URLs.
///
/// The runner searches only when it shows a part of the file: a valid file costs nothing.
package struct ConfidentialText: Sendable {
    /// The places of these parts; one may lie within another.
    package private(set) var ranges: [SourceRange] = []
    /// The texts of these parts, fallbacks of expressions among them, and the values that variables
    /// and rows make of them: messages may quote them.
    package internal(set) var texts: [String] = []
    /// The parts of which messages at their places may quote any word.
    package private(set) var parts: [Part] = []
    /// Keys and ids of the file, and the words of the language: a text that is one of them tells
    /// nothing.
    package private(set) var names: Set<String> = []
    /// The lines of the file; nil until the text around a value is needed.
    private var lines: SourceLines?
    /// Where values begin behind tags and anchors that are names of secrets.
    private var properties: Set<SourcePosition> = []
    /// A part of the file, and its text as YAML reads it.
    package struct Part: Sendable {
        /// The place in the file.
        package let range: SourceRange
        let text: String
        /// Whether it is hidden only because nothing says that it is no secret.
        var isUnknown = false
    }

    /// Bytes of the shortest word of such a part that messages do not quote.
    private static let shortestUnknown = 4

    /// Whether the file has backticks, which take the quotes of messages apart.
    package private(set) var hasBackticks = false

    /// Looks through a document, by the meaning of its keys where they have one, else by their
    /// names.
    ///
    /// Of the lines that diagnostics quote, only signs, keys and plain values are not confidential.
    ///
    /// - Parameters:
    ///   - document: A job file.
    ///   - diagnostics: All that quote lines of it.
    ///   - values: Confidential texts that do not stand in it.
    package init(
        of document: Document,
        shownIn diagnostics: [Diagnostic],
        and values: [String] = []
    ) {
        texts = values
        names = LanguageWords.all
        addUnparsed(of: document.source)
        visit(document.root, .mapping(JobTable.table.keys), isSecret: false, in: document)
        let lines = diagnostics.flatMap { diagnostic in
            [diagnostic.range.start.line] + diagnostic.notes.compactMap(\.range?.start.line)
        }
        for hidden in ValueScreen.hidden(in: Set(lines), of: document) {
            ranges.append(hidden.range)
            if hidden.isKey { names.remove(hidden.text) }
            parts.append(Part(range: hidden.range, text: hidden.text, isUnknown: true))
        }
    }

    /// Keeps a stretch of a line and the text that a message may quote of it.
    mutating func add(_ range: SourceRange, _ text: String) {
        ranges.append(range)
        texts.append(text)
        parts.append(Part(range: range, text: text))
    }

    /// The words of a part, in small letters, that messages at its place must not quote.
    package func words(of part: Part) -> Set<String> {
        let words = RevealingText(part.text, names: names).words.filter { !names.contains($0) }
        guard part.isUnknown else { return words }
        return words.filter {
            $0.utf8.count >= Self.shortestUnknown && !PublicValues.isNumber(Array($0.utf8)[...])
        }
    }

    /// Notes where a value begins behind a tag or an anchor that is the name of a secret.
    mutating func noteProperty(at position: SourcePosition) { properties.insert(position) }

    /// Keeps a stretch of a line that no message quotes.
    mutating func add(_ range: SourceRange) { ranges.append(range) }

    /// Prepares for the lines of a file that is no document.
    init() { names = LanguageWords.all }

    private mutating func visit(
        _ node: NodeID,
        _ shape: Shape,
        isSecret: Bool,
        in document: Document
    ) {
        switch document.kind(of: node) {
        case .scalar:
            if !hasBackticks {
                hasBackticks = document.withBytes(of: node) { bytes in
                    bytes.indices.contains { bytes[$0] == UInt8(ascii: "`") }
                }
            }
            if isSecret || shape.isCredential || shape.holdsCredentials
                || document.isPrivateKey(node)
            {
                add(node, in: document)
                addUnread(beside: node, in: document)
            } else {
                addLogin(node, shape, in: document)
                addNamed(node, shape.isMapping ? .entry : .value, in: document)
            }
        case .sequence:
            // Users of curl write a list of fields where a mapping belongs.
            let isSlip = shape.isCredential || shape.holdsCredentials || shape.hasChosenNames
            let element = isSlip && !shape.isList ? shape : shape.element
            var option: String?
            // A field as a pair: `[X-Api-Key, …]`.
            let isPair = element.isAnything || isSlip
            let isCurl = document.isCurl(node)
            for (index, child) in document.elements(of: node).enumerated() {
                let isBehind =
                    option.map {
                        isPair && index == 1 && SecretName.isOne($0)
                            || document.isSecret(child, behind: $0)
                            || document.isTornLogin(child, behind: $0)
                    } ?? false
                visit(child, element, isSecret: isSecret || isBehind, in: document)
                let name = document.kind(of: child) == .scalar ? document.text(of: child) : nil
                option =
                    isPair && index == 0
                    ? name : document.option(child, behind: option, ofCurl: isCurl)
            }
        case .mapping:
            visitEntries(of: node, shape, isSecret: isSecret, in: document)
        }
    }

    private mutating func visitEntries(
        of node: NodeID,
        _ shape: Shape,
        isSecret: Bool,
        in document: Document
    ) {
        let isPair = Shape.isPairOfSecret(node, in: document)
        // A mapping in the place of a list is probably the list's only element.
        let shape = (shape.isList && !shape.isMapping ? shape.element : shape)
            .narrowed(to: node, in: document)
        visitOmitted(of: node, isSecret: isSecret, in: document)
        var isBehindSecret = isSecret || shape.isCredential || shape.isSecretDeclaration
        // A comma may have torn the value before.
        var last: NodeID?
        for entry in document.entries(of: node) {
            let key = document.text(of: entry.key)
            let isKnown = shape.knows(key)
            let url = isKnown ? nil : last
            last = entry.value
            let isPart = isBehindSecret && !isKnown
            if addPart(of: url, entry, key, isSecret: isSecret, isPart, in: document) { continue }
            if isSecret, !isKnown, SecretName.isNoName(key) {
                add(document.range(of: entry.key), key)
            }
            let isJoined = addJoined(entry, key, shape, in: document)
            if !isJoined, !isSecret, !shape.isAnything, !addTorn(entry, key, shape, in: document) {
                names.insert(key)
            }
            let known = shape.isCredential ? Shape.credential : shape.value(of: key)
            let kind = document.kind(of: entry.value)
            let isPointer =
                known?.isMapping == true && known?.holdsCredentials == false
                && document.hasPointer(entry.value)
            let isNamed =
                !shape.knows(key) && !isPointer
                && (Shape.isSecret(named: key, known, kind) || SecretName.isAnyWord(of: key))
            let isValue = known?.isSecretDeclaration == true && kind != .mapping
            let isConfidential =
                isSecret || isNamed || isValue || shape.isSecret(unknown: key)
                || SecretName.isMisplaced(key: key)
                || key.hasBytePrefix("-") && document.isSecret(entry.value, behindOptionIn: key)
                || isPair && Shape.isValueOfPair(key)
                || shape.holdsCredentials && SecretName.isLogin(key)
                    && document.hasColon(entry.value)
                || shape.isSecretDeclaration && isWrongSource(entry.value, for: key, in: document)
            isBehindSecret =
                isConfidential || isJoined || known?.isCredential == true
                || shape.isSecretDeclaration
            if isBehindSecret { addUnread(around: entry, in: document) }
            visit(entry.value, known ?? .anything, isSecret: isConfidential, in: document)
            if !isNamed, kind == .mapping, !shape.knows(key), SecretName.isOne(key), let known {
                visitPart(entry.value, known, in: document)
            }
        }
    }

    /// Visits the entries that a mapping leaves out, because their keys are no texts.
    private mutating func visitOmitted(of node: NodeID, isSecret: Bool, in document: Document) {
        let omitted = document.omittedEntries(of: node)
        // `token, { … }`: a comma instead of the colon.
        let isBehindName =
            isSecret
            || !omitted.isEmpty
                && document.entries(of: node).contains {
                    document.isEmptyScalar($0.value) && SecretName.isOne(document.text(of: $0.key))
                }
        for entry in omitted {
            visit(entry.key, .anything, isSecret: isBehindName, in: document)
            // `{ id: 1, token}: …`: a brace too many makes a key of the first entries.
            let isTorn = document.hasBareName(entry.key)
            visit(entry.value, .anything, isSecret: isBehindName || isTorn, in: document)
        }
    }

    /// Keeps an entry that is a part of a secret's value, or of a URL before it which has an open
    /// login or ends with a secret of its query; returns whether it is.
    private mutating func addPart(
        of url: NodeID?,
        _ entry: (key: NodeID, value: NodeID),
        _ key: String,
        isSecret: Bool,
        _ mayBePart: Bool,
        in document: Document
    ) -> Bool {
        var open: String?
        if let url, document.kind(of: url) == .scalar, document.isEmptyScalar(entry.value) {
            open = URLLogin.open(in: document.text(of: url), before: key)
            if let open, !open.isEmpty { add(document.range(of: url), open) }
        }
        return addPart(
            entry,
            key,
            isSecret: isSecret || open != nil,
            mayBePart: mayBePart || open != nil,
            in: document
        )
    }

    /// Keeps an entry that is a part of a secret's value instead of a name and a value; returns
    /// whether it is.
    private mutating func addPart(
        _ entry: (key: NodeID, value: NodeID),
        _ key: String,
        isSecret: Bool,
        mayBePart: Bool,
        in document: Document
    ) -> Bool {
        let range = document.range(of: entry.key)
        if !properties.isEmpty, properties.contains(range.start) {
            // In a flow mapping YAML takes the value behind such a tag for a key.
            add(range, key)
            addUnread(around: entry, in: document)
            visit(entry.value, .credential, isSecret: true, in: document)
            return true
        }
        guard mayBePart, document.isEmptyScalar(entry.value),
            isSecret || isTornOff(entry, in: document)
        else { return false }
        add(range, key)
        addUnread(around: entry, in: document)
        return true
    }

    /// Keeps the values of a form's part under the name of a secret, and what its keys may hold.
    private mutating func visitPart(_ node: NodeID, _ shape: Shape, in document: Document) {
        guard shape.isMapping, shape.knows(Shape.valuesOfPart[0]) else { return }
        for member in document.entries(of: node) {
            let name = document.text(of: member.key)
            let isKnown = shape.knows(name)
            if !isKnown, document.isEmptyScalar(member.value) {
                add(document.range(of: member.key), name)
                names.remove(name)
            }
            if Shape.valuesOfPart.contains(name) || !isKnown {
                visit(member.value, .credential, isSecret: true, in: document)
            }
        }
    }

    /// Keeps the value that is part of a key because its colon or space is missing; returns whether
    /// it is.
    private mutating func addJoined(
        _ entry: (key: NodeID, value: NodeID),
        _ key: String,
        _ shape: Shape,
        in document: Document
    ) -> Bool {
        guard !shape.knows(key) else { return false }
        let isAlone = document.isEmptyScalar(entry.value)
        let value = SecretName.joinedValue(
            of: key,
            always: shape.isCredential || shape.value(of: key)?.isSecretDeclaration == true,
            isAlone: isAlone,
            isEntry: isAlone || !shape.isAnything
        )
        guard let value else { return false }
        add(document.range(of: entry.key), value)
        texts += NamedSecrets.words(of: value).dropFirst()
        return true
    }

    /// Keeps what a key without a value holds because its colon or a space is missing; returns
    /// whether the key is no name.
    private mutating func addTorn(
        _ entry: (key: NodeID, value: NodeID),
        _ key: String,
        _ shape: Shape,
        in document: Document
    ) -> Bool {
        guard !shape.knows(key), document.isEmptyScalar(entry.value) else { return false }
        addLogin(entry.key, .text(pattern: URLText.pattern), in: document)
        let signs: [UInt8] = [":", "=", "\"", "'", " "].map { UInt8(ascii: $0) }
        return key.utf8.contains { signs.contains($0) }
    }

    /// Keeps the value behind the name of a secret in a text.
    private mutating func addNamed(
        _ node: NodeID,
        _ place: SecretScan.Place,
        in document: Document
    ) {
        let text = document.text(of: node)
        guard let value = SecretScan.value(in: text, place) else { return }
        let secret = String(text.slice(value))
        add(document.range(of: node), secret)
        texts += RevealingText(secret).parts + NamedSecrets.words(of: secret).dropFirst()
    }

    /// Whether the source of a secret is none, but probably the secret itself: a variable with a
    /// wrong name, or a command that is a text.
    private func isWrongSource(_ value: NodeID, for key: String, in document: Document) -> Bool {
        guard document.kind(of: value) == .scalar else { return false }
        let text = document.text(of: value)
        return key == "command"
            || key == "env" && (text.containsBytes("-") || !Expression.isVariableName(text))
    }

    /// Keeps what YAML does not take for a part of a confidential value although the author
    /// probably means it: `&two` and `!two` in front of a value, and the comment behind it.
    private mutating func addUnread(
        around entry: (key: NodeID, value: NodeID),
        in document: Document
    ) {
        let key = document.range(of: entry.key)
        let value = document.range(of: entry.value)
        guard document.kind(of: entry.value) == .scalar, key.end <= value.start else { return }
        var lines = takeLines(of: document)
        defer { self.lines = lines }
        if key.end.line == value.start.line {
            addUnread(lines.text(from: key.end, to: value.start.column), at: key.end)
        } else {
            addUnread(lines.text(from: key.end), at: key.end)
            let start = SourcePosition(line: value.start.line, column: 1)
            addUnread(lines.text(from: start, to: value.start.column), at: start)
        }
        // An alias without its anchor has a place and no text.
        if value.start < value.end, document.isEmptyScalar(entry.value) {
            addUnread(lines.text(from: value.start, to: value.end.column), at: value.start)
        }
        if lines.hasComment(behind: value.end) {
            addUnread(lines.text(from: value.end), at: value.end)
        }
    }

    /// Keeps what YAML takes for a tag, an anchor or a comment beside a confidential scalar, which
    /// is an element of a list or a value, and the name of an alias in its place.
    private mutating func addUnread(beside node: NodeID, in document: Document) {
        let range = document.range(of: node)
        var lines = takeLines(of: document)
        defer { self.lines = lines }
        let front = lines.text(before: range.start).unicodeScalars
        var sign: String.UnicodeScalarView.Index?
        for index in front.indices.reversed() {
            if front[index] == "," { break }
            guard ["!", "&", "*"].contains(front[index]) else { continue }
            let isFirst =
                index == front.startIndex
                || [" ", "\t", "[", "{", ",", ":"].contains(front[front.index(before: index)])
            if isFirst { sign = index }
        }
        if let sign {
            var place = range.start
            place.column -= front.distance(from: sign, to: front.endIndex)
            addUnread(String(front[sign...]), at: place)
        }
        if range.start < range.end, document.isEmptyScalar(node) {
            addUnread(lines.text(from: range.start, to: range.end.column), at: range.start)
        }
        if lines.hasComment(behind: range.end) {
            addUnread(lines.text(from: range.end), at: range.end)
        }
    }

    private mutating func isTornOff(
        _ entry: (key: NodeID, value: NodeID),
        in document: Document
    ) -> Bool {
        var lines = takeLines(of: document)
        defer { self.lines = lines }
        return lines.isTornOff(entry, in: document)
    }

    private mutating func takeLines(of document: Document) -> SourceLines {
        defer { lines = nil }
        return lines ?? SourceLines(document.source)
    }

    /// Keeps a stretch of a line, unless it holds only a colon and blanks.
    private mutating func addUnread(_ text: String, at start: SourcePosition) {
        let marks: Set<Character> = [":", " ", "\t", "\r", "\n", "&", "!", "*", "#", "<", ">"]
        guard let first = text.firstIndex(where: { ![":", " ", "\t", "\r"].contains($0) }) else {
            return
        }
        var from = start
        from.column += text[..<first].unicodeScalars.count
        var end = from
        end.column += text[first...].unicodeScalars.count
        let plain = text[first...].drop { marks.contains($0) }
        add(SourceRange(start: from, end: end), String(plain))
    }

    /// Keeps a scalar in the place of a secret, unless it only names a value.
    ///
    /// Expressions alone reveal no secret, and the author must see them to correct them.
    private mutating func add(_ node: NodeID, in document: Document) {
        let text = document.text(of: node)
        let revealing = RevealingText(text, names: names)
        guard revealing.isRevealing else { return }
        add(document.range(of: node), text)
        texts += revealing.parts
    }

    /// A login in a URL, also where that is none because of it, and values behind names of secrets.
    private mutating func addLogin(_ node: NodeID, _ shape: Shape, in document: Document) {
        let hasSign = document.withBytes(of: node) { bytes in
            bytes.indices.contains {
                bytes[$0] == UInt8(ascii: "@") || bytes[$0] == UInt8(ascii: "=")
                    || bytes[$0] == UInt8(ascii: ":") || bytes[$0] == UInt8(ascii: " ")
                    || bytes[$0] == UInt8(ascii: "\"") || bytes[$0] == UInt8(ascii: "&")
            }
        }
        guard hasSign else { return }
        let text = document.text(of: node)
        if let login = UserInformation.ofReference(text.utf8.span) {
            add(document.range(of: node), String(text.slice(login)))
        } else if shape.isURL || shape.isMapping, let login = URLLogin.ofFaulty(text) {
            add(document.range(of: node), login)
        } else if let login = URLLogin.ofBareAddress(text) {
            add(document.range(of: node), login)
        }
        for secret in NamedSecrets.texts(in: text) { add(document.range(of: node), secret) }
    }
}
