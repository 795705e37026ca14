extension Shape {
    /// The example of a text without a form.
    static let anyText = "value"

    /// A short value of this shape, as a job file has it, for the help of a report.
    var exampleText: String {
        switch self {
        case .text(_, let example): example ?? Self.anyText
        case .credential: "\"${secret.name}\""
        case .boolean: "true"
        case .integer(let range): "\(min(max(range.lowerBound, 1), range.upperBound))"
        case .number(let range): range.contains(1) ? "1" : "0"
        case .choice(let names): names.first ?? "value"
        case .either(_, let list) where list.isList: list.exampleText
        case .either(.integer, let text): text.exampleText
        case .either(let one, _): one.exampleText
        case .oneOrMore(.mapping(let table)): table.exampleText
        case .list(let element), .nonEmptyList(let element), .oneOrMore(let element):
            "[\(element.exampleText)]"
        case .tuple(.text, let counts):
            "[\((1...counts.lowerBound).map { _ in "value" }.joined(separator: ", "))]"
        case .tuple(_, let counts):
            "[\((1...counts.lowerBound).map(String.init).joined(separator: ", "))]"
        case .mapping(let table): table.exampleText
        case .variants(_, let tables): tables.first?.exampleText ?? "{}"
        case .named(let value, _, _), .someNamed(let value, _): "{ name: \(value.exampleText) }"
        case .scalar, .anything: Self.anyText
        }
    }

    /// Whether the example says more about a wrong scalar than its report does: it is a list or a
    /// mapping, or a text of a special kind, such as a path.
    var explainsScalars: Bool {
        switch self {
        case .text(_, let example): example != nil
        case .either(let one, let other): one.explainsScalars || other.explainsScalars
        case .mapping(let table): table.shortKey?.shape.explainsScalars ?? true
        case .list, .nonEmptyList, .oneOrMore, .tuple, .variants, .named, .someNamed: true
        case .credential, .boolean, .integer, .number, .choice, .scalar, .anything: false
        }
    }

    /// The shape of the values inside of a list or of a mapping with chosen names; nil for others.
    var member: Shape? {
        switch self {
        case .named(let member, _, _), .someNamed(let member, _): member
        case .either(let one, let other): one.member ?? other.member
        default: isList ? element : nil
        }
    }
}

extension KeyDescription {
    /// A short value of the key: the number that is its default, or an example of its shape.
    var exampleText: String {
        self.default.flatMap { Int($0.text)?.description } ?? shape.exampleText
    }
}

extension KeyTable {
    /// The key whose value the mapping may be written as; nil without a short form.
    fileprivate var shortKey: KeyDescription? { keys.first { $0.name == shortForm } }

    /// A short mapping: its required keys and the first of its alternatives, or else its first key;
    /// the short form of the mapping where it has one.
    var exampleText: String {
        if let shortKey { return shortKey.exampleText }
        let first = alternativeNames.first
        var shown = keys.filter { $0.isRequired || $0.name == first }
        if shown.isEmpty { shown = Array(keys.prefix(1)) }
        let entries = shown.map { "\($0.name): \($0.exampleText)" }
        return "{ \(entries.joined(separator: ", ")) }"
    }
}
