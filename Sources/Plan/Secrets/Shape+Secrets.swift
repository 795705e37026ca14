internal import Diagnostics
internal import JobFile
internal import SystemKit

// Which values are hidden, by their shape.
extension Shape {
    /// The keys of a form's part that hold its value.
    static let valuesOfPart = ["text", "json"]

    /// Whether the value under a name that the job chose is a secret.
    ///
    /// The name may be that of a mapping with settings of its own, such as a capture, which is
    /// none.
    static func isSecret(named name: String, _ shape: Shape?, _ kind: NodeKind) -> Bool {
        SecretName.isOne(name) && (shape?.isMapping != true || kind != .mapping)
    }

    /// Whether a mapping is `{ name: password, value: … }`, as other tools write a field.
    static func isPairOfSecret(_ node: NodeID, in document: Document) -> Bool {
        ["name", "key", "Name", "Key", "field", "pointer", "path"].contains { key in
            guard let name = document.value(of: node, for: key)?.value,
                document.kind(of: name) == .scalar
            else { return false }
            let text = document.text(of: name)
            // The last part of a JSON pointer or path is the name: `/login/token`.
            let last = text.utf8.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") }
            return SecretName.isOne(last.map { String(text[$0...].dropFirst()) } ?? text)
        }
    }

    /// Whether a key of such a mapping holds the value.
    static func isValueOfPair(_ key: String) -> Bool {
        ["value", "val", "text", "content", "contents", "default", "equals"].contains(
            key.lowercased()
        )
    }

    /// Whether it is a mapping whose names the job chooses, such as `headers` and `variables`.
    var hasChosenNames: Bool {
        switch self {
        case .named, .someNamed: true
        case .either(let one, let other): one.hasChosenNames || other.hasChosenNames
        default: false
        }
    }

    /// Whether it is a mapping of header fields.
    var isOfHeaders: Bool {
        if case .named(_, HeaderRule.namePattern, _) = self { true } else { false }
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

    /// The shape of a mapping that chooses one of several tables by a value.
    func narrowed(to node: NodeID, in document: Document) -> Shape {
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
        case .text(URLText.pattern), .text(URLText.taskPattern), .text(WebSocketURLText.pattern),
            .text(ProxyURLText.pattern), .text(OriginType.pattern),
            .text(OriginType.credentialPattern):
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

    /// The key of a mapping of that shape which a name without a meaning there probably is; nil
    /// for a name under which people write secrets.
    func nearestKey(to name: String) -> String? {
        SecretName.isOne(name) ? nil : NearestName.find(name, among: keyNames)
    }

    private var keyNames: [String] {
        switch self {
        case .mapping(let table): table.keys.map(\.name)
        case .variants(_, let tables): tables.flatMap { $0.keys.map(\.name) }
        case .either(let one, let other): one.keyNames + other.keyNames
        case .oneOrMore(let one): one.keyNames
        default: []
        }
    }

    /// Whether a key that means nothing there is probably a misspelled one of a credential, or
    /// holds a secret's value where only its source may stand.
    func isSecret(unknown key: String) -> Bool {
        switch self {
        case .mapping(let table):
            if table.keys.contains(where: { $0.name == key }) || key.hasBytePrefix("x-") {
                return false
            }
            if table.isSecretDeclaration || SecretName.isLogin(key) { return true }
            // Beside a password it can be one in any language.
            if table.keys.contains(where: { $0.shape.isCredential }) { return true }
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
