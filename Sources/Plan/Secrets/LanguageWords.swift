/// The words of the job file's language: its keys, and the values that some of them choose from.
struct LanguageWords {
    /// Made at the first fault of a file, from the tables that read it.
    static let ofJobFiles = {
        var words = LanguageWords()
        words.add(.mapping(JobTable.table.keys))
        return words
    }()

    /// All words.
    static let all = ofJobFiles.keys.union(ofJobFiles.choices)

    private(set) var keys: Set<String> = []
    /// The values that keys choose from.
    private(set) var choices: Set<String> = []
    /// The keys whose values may be URLs.
    private(set) var urlKeys: Set<String> = []
    /// The keys whose values may be numbers, with units or without.
    private(set) var numberKeys: Set<String> = []
    /// The keys whose values may be secrets: credentials, and texts and names of the job's own.
    private(set) var secretKeys: Set<String> = []
    /// The examples of keys and their values, which no job file has written.
    private(set) var examples: Set<String> = []
    /// The tables that were read.
    private var tables: Set<String> = []

    private mutating func add(_ shape: Shape) {
        switch shape {
        case .choice(let choices): self.choices.formUnion(choices)
        case .either(let one, let other):
            add(one)
            add(other)
        case .list(let element), .nonEmptyList(let element), .tuple(let element, _),
            .oneOrMore(let element), .named(let element, _, _), .someNamed(let element, _):
            add(element)
        case .mapping(let table): add(table)
        case .variants(_, let variants): for table in variants { add(table) }
        case .text, .credential, .boolean, .integer, .number, .scalar, .anything: break
        }
    }

    private mutating func add(_ table: KeyTable) {
        guard tables.insert("\(table.name) \(table.names)").inserted else { return }
        examples.insert(table.exampleText)
        for key in table.keys {
            keys.insert(key.name)
            let shape = key.shape
            examples.insert("\(key.name): \(key.exampleText)")
            if let member = shape.member { examples.insert(member.exampleText) }
            if shape.isNumber { numberKeys.insert(key.name) }
            if shape.holdsURLs { urlKeys.insert(key.name) }
            if shape.isCredential || shape.isAnything { secretKeys.insert(key.name) }
            add(shape)
        }
    }
}

extension Shape {
    /// Whether URLs are its value or the elements of its value.
    fileprivate var holdsURLs: Bool {
        switch self {
        case .list(let element), .nonEmptyList(let element), .oneOrMore(let element):
            element.holdsURLs
        case .either(let one, let other): one.holdsURLs || other.holdsURLs
        default: isURL
        }
    }

    /// Whether a number, or a text of a fixed form such as `30s`, may be its value.
    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .number: true
        case .text(let pattern, _): pattern != nil
        case .either(let one, let other): one.isNumber || other.isNumber
        case .oneOrMore(let one): one.isNumber
        default: false
        }
    }
}
