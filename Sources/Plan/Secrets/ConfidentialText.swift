package import Diagnostics
package import JobFile
internal import TransferModel

/// What of a job file nobody may read where its lines are shown or quoted: the values of keys that
/// hold secrets, and logins in URLs.
///
/// It is looked for only when something is shown: a file that is right costs nothing.
package struct ConfidentialText: Sendable {
    /// Where it stands; one may lie within another.
    package private(set) var ranges: [SourceRange] = []
    /// What stands there, the fallbacks of expressions among it, and what variables and rows make
    /// of it: messages may quote it.
    package private(set) var texts: [String] = []
    /// Keys and ids of the file, and the words of the language: a text that is one of them tells
    /// nothing.
    package private(set) var names: Set<String> = []
    /// Whether the file has backticks, which take the quotes of messages apart.
    package private(set) var hasBackticks = false

    /// Looks through a document, by the meaning of its keys where they have one, else by their
    /// names.
    ///
    /// `values` are confidential texts that do not stand in it.
    package init(of document: Document, and values: [String] = []) {
        texts = values
        names = LanguageWords.all
        visit(document.root, .mapping(JobTable.table.keys), isSecret: false, in: document)
    }

    /// Keeps a stretch of a line and the text that a message may quote of it.
    mutating func add(_ range: SourceRange, _ text: String) {
        ranges.append(range)
        texts.append(text)
    }

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
                if shape.hasChosenNames { addFields(node, in: document) }
                addLogin(node, shape, in: document)
                addFallbacks(node, in: document)
            }
        case .sequence:
            // Users of curl write a list of fields where a mapping belongs.
            let isSlip = shape.isCredential || shape.holdsCredentials || shape.hasChosenNames
            let element = isSlip && !shape.isList ? shape : shape.element
            for child in document.elements(of: node) {
                visit(child, element, isSecret: isSecret, in: document)
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
        let shape = shape.isList && !shape.isMapping ? shape.element : shape
        for entry in document.entries(of: node) {
            let key = document.text(of: entry.key)
            if let value = SecretName.joinedValue(
                of: key,
                always: shape.isCredential || shape.value(of: key)?.isSecretDeclaration == true
            ) {
                add(document.range(of: entry.key), value)
            } else if !isSecret, !shape.isAnything {
                names.insert(key)
            }
            let known = shape.isCredential ? Shape.credential : shape.value(of: key)
            let kind = document.kind(of: entry.value)
            let isNamed = !shape.knows(key) && Shape.isSecret(named: key, known, kind)
            let isValue = known?.isSecretDeclaration == true && kind != .mapping
            visit(
                entry.value,
                known ?? .anything,
                isSecret: isSecret || isNamed || isValue || shape.isSecret(unknown: key)
                    || isPair && key == "value",
                in: document
            )
            if !isNamed, known?.isMapping == true, kind == .mapping, !shape.knows(key),
                SecretName.isOne(key),
                let text = document.value(of: entry.value, for: Shape.textOfPart)?.value
            {
                visit(text, .credential, isSecret: true, in: document)
            }
        }
    }

    private mutating func add(_ node: NodeID, in document: Document) {
        let text = document.text(of: node)
        guard document.hasInterpolation(node) else {
            guard !Self.hasOnlyNames(text) else { return }
            add(document.range(of: node), text)
            addLikely(in: text)
            return
        }
        let template = Template(text)
        let parts = template.pieces.compactMap(\.confidentialText)
        // Expressions alone tell nothing, and whoever mends them has to see them.
        if parts.isEmpty, template.faults.isEmpty { return }
        texts += parts
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

    /// Whether a text is what other tools fill in, such as `$PASSWORD` or `Bearer {{ token }}`: the
    /// name of a variable is no secret.
    ///
    /// A name with digits or signs could be the secret itself between marks.
    fileprivate static func hasOnlyNames(_ text: String) -> Bool {
        var offset = 0
        while let placeholder = Placeholder.first(in: text, from: offset, isKnown: { _ in false }) {
            let isName = placeholder.name.utf8.allSatisfy { byte in
                switch byte {
                case 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "."): true
                default: false
                }
            }
            guard isName, tellsNothing(text.slice(offset..<placeholder.range.lowerBound)) else {
                return false
            }
            offset = placeholder.range.upperBound
        }
        return tellsNothing(text.slice(offset..<text.utf8.count))
    }

    private static func tellsNothing(_ text: some StringProtocol) -> Bool {
        text.isEmpty || SecretName.isScheme(String(text))
    }

    /// The fallbacks of expressions that ask for a secret by its name.
    private mutating func addFallbacks(_ node: NodeID, in document: Document) {
        guard document.hasInterpolation(node) else { return }
        for case .expression(let expression) in Template(document.text(of: node)).pieces {
            guard case .fallback(let text) = expression.rule, !text.isEmpty,
                SecretName.isOne(expression.name)
            else { continue }
            add(document.range(of: node), text)
        }
    }

    /// Keeps the values of secret fields of a text that stands where a mapping of fields belongs.
    ///
    /// A line is `Name: value`, or `name=value` with `&` between such fields.
    private mutating func addFields(_ node: NodeID, in document: Document) {
        for line in document.text(of: node).split(separator: "\n") {
            if addField(String(line), behind: ":", of: node, in: document) { continue }
            for part in line.split(separator: "&") {
                _ = addField(String(part), behind: "=", of: node, in: document)
            }
        }
    }

    /// Keeps the value of a field that has the name of a secret; returns whether it has one.
    private mutating func addField(
        _ text: String,
        behind sign: Unicode.Scalar,
        of node: NodeID,
        in document: Document
    ) -> Bool {
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: sign)),
            SecretName.isOne(String(text[..<end]))
        else { return false }
        let value = text[end...].dropFirst().drop { $0 == " " }
        if !value.isEmpty { add(document.range(of: node), String(value)) }
        return true
    }

    /// A login in a URL, also where that is none because of it, and the values of secrets in its
    /// query.
    private mutating func addLogin(_ node: NodeID, _ shape: Shape, in document: Document) {
        let hasSign = document.withBytes(of: node) { bytes in
            bytes.indices.contains {
                bytes[$0] == UInt8(ascii: "@") || bytes[$0] == UInt8(ascii: "?")
            }
        }
        guard hasSign else { return }
        let text = document.text(of: node)
        if let login = UserInformation.ofReference(text.utf8.span) {
            add(document.range(of: node), String(text.slice(login)))
        } else if shape.isURL || shape.isMapping, let login = URLLogin.ofFaulty(text) {
            add(document.range(of: node), login)
        }
        for secret in URLLogin.secretsInQuery(of: text) {
            add(document.range(of: node), secret)
        }
    }
}

extension Template.Piece {
    /// What of it nobody may read in the place of a secret: text, and the fallback of an
    /// expression.
    fileprivate var confidentialText: String? {
        switch self {
        case .literal(let literal):
            return ConfidentialText.hasOnlyNames(literal) ? nil : literal
        case .expression(let expression):
            guard case .fallback(let fallback) = expression.rule, !fallback.isEmpty else {
                return nil
            }
            return fallback
        }
    }
}
