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
    /// Keys and ids of the file, and the words of the language: a text that is one of them tells
    /// nothing.
    package private(set) var names: Set<String> = []
    /// The lines of the file; nil until the text around a value is needed.
    private var lines: SourceLines?
    /// Whether the file has backticks, which take the quotes of messages apart.
    package private(set) var hasBackticks = false

    /// Looks through a document, by the meaning of its keys where they have one, else by their
    /// names.
    ///
    /// `values` are confidential texts that do not stand in it.
    package init(of document: Document, and values: [String] = []) {
        texts = values
        names = LanguageWords.all
        addComments(of: document.source)
        visit(document.root, .mapping(JobTable.table.keys), isSecret: false, in: document)
    }

    /// Keeps a stretch of a line and the text that a message may quote of it.
    mutating func add(_ range: SourceRange, _ text: String) {
        ranges.append(range)
        texts.append(text)
    }

    /// Keeps a stretch of a line that no message quotes.
    mutating func add(_ range: SourceRange) { ranges.append(range) }

    init() {}

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
            if isSecret || shape.isCredential || shape.holdsCredentials {
                add(node, in: document)
            } else {
                addLogin(node, shape, in: document)
                addFallbacks(node, in: document)
                if shape.isMapping { addSpaced(node, in: document) }
            }
        case .sequence:
            // Users of curl write a list of fields where a mapping belongs.
            let isSlip = shape.isCredential || shape.holdsCredentials || shape.hasChosenNames
            let element = isSlip && !shape.isList ? shape : shape.element
            var option: String?
            // A field as a pair: `[X-Api-Key, …]`.
            let isPair = element.isAnything || isSlip
            for (index, child) in document.elements(of: node).enumerated() {
                let isBehind =
                    option.map {
                        isPair && index == 1 && SecretName.isOne($0)
                            || document.isSecret(child, behind: $0)
                    } ?? false
                visit(child, element, isSecret: isSecret || isBehind, in: document)
                let name = document.kind(of: child) == .scalar ? document.text(of: child) : nil
                option = isPair && index == 0 ? name : document.option(child)
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
        for entry in document.omittedEntries(of: node) {
            visit(entry.key, .anything, isSecret: isSecret, in: document)
            visit(entry.value, .anything, isSecret: isSecret, in: document)
        }
        var isBehindSecret = isSecret || shape.isCredential || shape.isSecretDeclaration
        for entry in document.entries(of: node) {
            let key = document.text(of: entry.key)
            if isBehindSecret, !shape.knows(key), isTornOff(entry, in: document) {
                add(document.range(of: entry.key), key)
                continue
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

    /// Keeps the value that is part of a key because its space is missing; returns whether it is.
    private mutating func addJoined(
        _ entry: (key: NodeID, value: NodeID),
        _ key: String,
        _ shape: Shape,
        in document: Document
    ) -> Bool {
        let isAlways =
            shape.isCredential || shape.value(of: key)?.isSecretDeclaration == true
        guard
            let value = SecretName.joinedValue(
                of: key,
                always: isAlways,
                isAlone: document.isEmptyScalar(entry.value)
            )
        else { return false }
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

    /// Keeps the value behind the name of a secret in a text that replaces a mapping.
    private mutating func addSpaced(_ node: NodeID, in document: Document) {
        let text = document.text(of: node)
        guard let value = SpacedSecret.value(in: text.utf8.span), !value.isEmpty
        else { return }
        let secret = String(text.slice(value))
        add(document.range(of: node), secret)
        texts += NamedSecrets.words(of: secret).dropFirst()
    }

    /// Whether the source of a secret is none, but probably the secret itself: a variable with a
    /// wrong name, or a command that is a text.
    private func isWrongSource(_ value: NodeID, for key: String, in document: Document) -> Bool {
        guard document.kind(of: value) == .scalar else { return false }
        let text = document.text(of: value)
        return key == "command"
            || key == "env" && (text.contains("-") || !Expression.isVariableName(text))
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

    private mutating func add(_ node: NodeID, in document: Document) {
        let text = document.text(of: node)
        guard document.hasInterpolation(node) else {
            guard !NamedSecrets.hasOnlyNames(text) else { return }
            add(document.range(of: node), text)
            addLikely(in: text)
            return
        }
        let template = Template(text)
        let parts = template.pieces.compactMap(\.confidentialText)
        // Expressions alone reveal no secret, and the author must see them to correct them.
        if parts.isEmpty, template.faults.isEmpty { return }
        texts += parts + NamedSecrets.fallbacks(ofFaulty: text)
        add(document.range(of: node), text)
        addLikely(in: text)
    }

    /// Keeps the expressions that hints make of a secret between marks.
    private mutating func addLikely(in text: String) {
        var offset = 0
        while let placeholder = Placeholder.first(in: text, from: offset, isKnown: { _ in true }) {
            for isKnown in [false, true] {
                if let likely = placeholder.likely(isKnown: { _ in isKnown }) {
                    texts.append(likely)
                }
            }
            offset = placeholder.range.upperBound
        }
    }

    /// The fallbacks of expressions that ask for a secret by its name.
    private mutating func addFallbacks(_ node: NodeID, in document: Document) {
        guard document.hasInterpolation(node) else { return }
        let text = document.text(of: node)
        for fallback in NamedSecrets.fallbacks(ofFaulty: text, named: SecretName.isOne) {
            add(document.range(of: node), fallback)
        }
        for case .expression(let expression) in Template(text).pieces {
            guard case .fallback(let text) = expression.rule, !text.isEmpty,
                SecretName.isOne(expression.name)
            else { continue }
            add(document.range(of: node), text)
        }
    }

    /// A login in a URL, also where that is none because of it, and values behind names of secrets.
    private mutating func addLogin(_ node: NodeID, _ shape: Shape, in document: Document) {
        let hasSign = document.withBytes(of: node) { bytes in
            bytes.indices.contains {
                bytes[$0] == UInt8(ascii: "@") || bytes[$0] == UInt8(ascii: "=")
                    || bytes[$0] == UInt8(ascii: ":") || bytes[$0] == UInt8(ascii: " ")
            }
        }
        guard hasSign else { return }
        let text = document.text(of: node)
        if let login = UserInformation.ofReference(text.utf8.span) {
            add(document.range(of: node), String(text.slice(login)))
        } else if shape.isURL || shape.isMapping, let login = URLLogin.ofFaulty(text) {
            add(document.range(of: node), login)
        }
        for secret in NamedSecrets.texts(in: text) { add(document.range(of: node), secret) }
    }
}

extension Template.Piece {
    /// The part of it that is hidden in the place of a secret: text, and the fallback of an
    /// expression.
    fileprivate var confidentialText: String? {
        switch self {
        case .literal(let literal):
            return NamedSecrets.hasOnlyNames(literal) ? nil : literal
        case .expression(let expression):
            guard case .fallback(let fallback) = expression.rule, !fallback.isEmpty else {
                return nil
            }
            return fallback
        }
    }
}
