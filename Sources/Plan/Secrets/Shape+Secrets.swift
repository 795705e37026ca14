internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

// Which values are hidden, by their shape.
extension Shape {
    /// Whether it is a mapping whose names the job chooses, such as `headers` and `variables`.
    var hasChosenNames: Bool {
        switch self {
        case .named, .someNamed: true
        case .either(let one, let other): one.hasChosenNames || other.hasChosenNames
        default: false
        }
    }

    /// Whether it is a mapping with a credential, or a list of such mappings: a text in its place
    /// is probably the credential.
    var holdsCredentials: Bool {
        switch self {
        case .mapping(let table):
            table.isSecretDeclaration || table.keys.contains { $0.shape.isCredential }
        case .variants(_, let tables): tables.contains { Shape.mapping($0).holdsCredentials }
        case .named(let value, _, _), .someNamed(let value, _): value.isSecretDeclaration
        case .list(let element), .nonEmptyList(let element), .oneOrMore(let element):
            element.holdsCredentials
        case .either(let one, let other): one.holdsCredentials && other.holdsCredentials
        default: false
        }
    }

    /// Whether a name that the job has chosen looks like a name here: a header's name is a token
    /// (RFC 9110 §5.1).
    func takesName(_ name: String) -> Bool {
        PublicValues.isName(name) && (!namesHeaders || HeaderRule.isToken(name))
    }

    private var namesHeaders: Bool {
        switch self {
        case .named(_, HeaderRule.namePattern, _), .someNamed(_, HeaderRule.namePattern): true
        case .either(let one, let other): one.namesHeaders || other.namesHeaders
        default: false
        }
    }

    /// The shape of a mapping that chooses one of several tables by a value, or makes a body of a
    /// file.
    func narrowed(to node: NodeID, in document: Document) -> Shape {
        if isAnything, TemplateBody.isMeant(by: node, in: document) {
            return .mapping(TemplateBody.table.keys)
        }
        guard case .variants(let name, let tables) = self,
            let value = document.value(of: node, for: name)?.value,
            document.kind(of: value) == .scalar
        else { return self }
        let choice = document.text(of: value)
        let table = tables.first { table in
            table.keys.contains { key in
                guard key.name == name, case .choice(let choices) = key.shape else { return false }
                return choices.contains(choice)
            }
        }
        return table.map { .mapping($0) } ?? self
    }

    var isAnything: Bool {
        if case .anything = self { true } else { false }
    }

    /// Whether a text in its place is a URL or the address of a proxy.
    var isURL: Bool {
        switch self {
        case .text(URLText.pattern, _), .text(URLText.taskPattern, _),
            .text(WebSocketURLText.pattern, _),
            .text(ProxyURLText.pattern, _), .text(OriginType.pattern, _),
            .text(OriginType.credentialPattern, _), .text(PatternText.originPattern, _),
            .text(URLPattern.form, _):
            true
        case .either(let one, let other): one.isURL || other.isURL
        case .oneOrMore(let one): one.isURL
        default: false
        }
    }

    /// Whether its values are never shown.
    var isCredential: Bool {
        switch self {
        case .credential: true
        case .either(let one, let other): one.isCredential || other.isCredential
        default: false
        }
    }

    /// Whether it says where a secret comes from: anything else in its place is the secret itself.
    var isSecretDeclaration: Bool {
        if case .mapping(let table) = self { table.isSecretDeclaration } else { false }
    }

    /// Whether the key has a meaning of its own in a mapping of that shape.
    func knows(_ key: String) -> Bool {
        switch self {
        case .mapping(let table): table.keys.contains { $0.name == key }
        case .variants(_, let tables): tables.contains { Shape.mapping($0).knows(key) }
        case .either(let one, let other): one.knows(key) || other.knows(key)
        case .oneOrMore(let one): one.knows(key)
        default: false
        }
    }

    /// The key of a mapping of that shape which a name without a meaning there probably is.
    func nearestKey(to name: String) -> String? { NearestName.find(name, among: keyNames) }

    private var keyNames: [String] {
        switch self {
        case .mapping(let table): table.keys.map(\.name)
        case .variants(_, let tables): tables.flatMap { $0.keys.map(\.name) }
        case .either(let one, let other): one.keyNames + other.keyNames
        case .oneOrMore(let one): one.keyNames
        default: []
        }
    }
}

extension KeyTable {
    fileprivate var isSecretDeclaration: Bool { name == SecretTable.table.keys.name }
}
