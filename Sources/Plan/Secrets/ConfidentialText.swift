package import Diagnostics
package import JobFile
internal import TransferModel

/// What of a job file nobody may read where its lines or settings are shown: the values of keys that hold secrets, and
/// logins in URLs.
///
/// It is looked for only when something is shown: a file that is right costs nothing.
package struct ConfidentialText: Sendable {
    /// Where it stands; one may lie within another.
    package private(set) var ranges: [SourceRange] = []
    /// What stands there, the fallbacks of expressions among it: messages may quote it.
    package private(set) var texts: [String] = []

    /// Looks through a document, by the meaning of its keys where they have one, else by their names.
    package init(of document: Document) {
        visit(document.root, .mapping(JobTable.table.keys), isSecret: false, in: document)
    }

    /// Looks through the lines of a file that is no document.
    ///
    /// What stands behind the name of a secret is confidential up to the end of its line, and so are the lines that
    /// are indented deeper.
    package init(ofLinesIn source: SourceText) {
        let lines = source.bytes[source.base...]
            .split(separator: 10, omittingEmptySubsequences: false)
        var depth: Int?
        for (index, line) in lines.enumerated() {
            let number = source.firstLine + index
            let indent = line.prefix { $0 == 32 || $0 == 9 }.count
            let isEmpty = line.count == indent
            if let open = depth, isEmpty || indent > open {
                if !isEmpty { add(line.dropFirst(indent), of: line, number) }
                continue
            }
            depth = nil
            guard let value = Self.secretValue(in: line) else { continue }
            depth = indent
            add(value, of: line, number)
        }
    }

    private mutating func add(
        _ part: ArraySlice<UInt8>,
        of line: ArraySlice<UInt8>,
        _ number: Int
    ) {
        let before = String(decoding: line[line.startIndex..<part.startIndex], as: UTF8.self)
        let text = String(decoding: part, as: UTF8.self)
        let start = SourcePosition(line: number, column: before.unicodeScalars.count + 1)
        var end = start
        end.column += text.unicodeScalars.count
        ranges.append(SourceRange(start: start, end: end))
        let marks: Set<Character> = [" ", "\t", "\r", "\"", "'", "[", "]", "{", "}", ","]
        let plain = text.drop { marks.contains($0) }.reversed().drop { marks.contains($0) }
        texts.append(String(plain.reversed()))
    }

    /// What stands behind the first name of a secret and its colon; nil without one.
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

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private mutating func visit(
        _ node: NodeID,
        _ shape: Shape,
        isSecret: Bool,
        in document: Document
    ) {
        switch document.kind(of: node) {
        case .scalar:
            if isSecret || shape.isCredential {
                add(node, in: document)
            } else {
                addLogin(node, in: document)
            }
        case .sequence:
            let element = shape.isCredential ? Shape.credential : shape.element
            for child in document.elements(of: node) {
                visit(child, element, isSecret: isSecret, in: document)
            }
        case .mapping:
            for entry in document.entries(of: node) {
                let key = document.text(of: entry.key)
                let known = shape.isCredential ? Shape.credential : shape.value(of: key)
                let holdsMapping = known?.isMapping ?? false
                let kind = document.kind(of: entry.value)
                // A name that the job chose may be that of a mapping with settings of its own.
                let isNamed =
                    !shape.knows(key) && SecretName.isOne(key) && (!holdsMapping || kind == .scalar)
                let isValue = known?.isSecretDeclaration == true && kind != .mapping
                visit(
                    entry.value,
                    known ?? .anything,
                    isSecret: isSecret || isNamed || isValue || shape.isSecret(unknown: key),
                    in: document
                )
            }
        }
    }

    private mutating func add(_ node: NodeID, in document: Document) {
        let text = document.text(of: node)
        if document.hasInterpolation(node) {
            let template = Template(text)
            let literals = template.pieces.compactMap(\.confidentialText)
            // Expressions alone tell nothing, and whoever mends them has to see them.
            if literals.isEmpty, template.faults.isEmpty { return }
            texts += literals
        }
        ranges.append(document.range(of: node))
        texts.append(text)
        var offset = 0
        while let placeholder = Placeholder.first(in: text, from: offset, isKnown: { _ in true }) {
            texts.append(placeholder.name)
            offset = placeholder.range.upperBound
        }
    }

    /// A login with white space in it, which is not known for one where text stands around the URL.
    private mutating func addLogin(_ node: NodeID, in document: Document) {
        let hasSign = document.withBytes(of: node) { bytes in
            bytes.indices.contains { bytes[$0] == UInt8(ascii: "@") }
        }
        guard hasSign else { return }
        let text = document.text(of: node)
        guard let login = UserInformation.ofReference(text.utf8.span) else { return }
        ranges.append(document.range(of: node))
        texts.append(String(text.slice(login)))
    }
}

extension Template.Piece {
    /// What of it nobody may read in the place of a secret: text, and the fallback of an expression.
    fileprivate var confidentialText: String? {
        switch self {
        case .literal(let literal): return SecretName.isScheme(literal) ? nil : literal
        case .expression(let expression):
            guard case .fallback(let fallback) = expression.rule, !fallback.isEmpty else {
                return nil
            }
            return fallback
        }
    }
}

extension Shape {
    /// Whether a value of it is shown to nobody.
    fileprivate var isCredential: Bool {
        switch self {
        case .credential: true
        case .either(let one, let other): one.isCredential || other.isCredential
        default: false
        }
    }

    /// Whether it says where a secret comes from: anything else in its place is the secret itself.
    fileprivate var isSecretDeclaration: Bool {
        if case .mapping(let table) = self { table.isSecretDeclaration } else { false }
    }

    /// Whether the key has a meaning of its own in a mapping of that shape.
    fileprivate func knows(_ key: String) -> Bool {
        switch self {
        case .mapping(let table): table.keys.contains { $0.name == key }
        case .variants(_, let tables): tables.contains { Shape.mapping($0).knows(key) }
        case .either(let one, let other): one.knows(key) || other.knows(key)
        case .oneOrMore(let one): one.knows(key)
        default: false
        }
    }

    /// Whether a key that means nothing there is probably a misspelled one of a credential, or holds a secret's value where
    /// only its source may stand.
    fileprivate func isSecret(unknown key: String) -> Bool {
        switch self {
        case .mapping(let table):
            if table.keys.contains(where: { $0.name == key }) || key.hasPrefix("x-") {
                return false
            }
            if table.isSecretDeclaration { return true }
            return NearestName.find(key, among: ["password", "token", "secretKey"]) != nil
        case .variants(_, let tables):
            return !knows(key)
                && tables.contains { Shape.mapping($0).isSecret(unknown: key) }
        case .either(let one, let other):
            return !knows(key) && (one.isSecret(unknown: key) || other.isSecret(unknown: key))
        case .oneOrMore(let one): return one.isSecret(unknown: key)
        default: return false
        }
    }
}

extension KeyTable {
    fileprivate var isSecretDeclaration: Bool { name == SecretTable.table.keys.name }
}
