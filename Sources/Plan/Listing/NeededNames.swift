internal import JobFile
internal import SystemKit

/// The names that the expressions of a job ask for.
struct NeededNames {
    private(set) var environment: Set<String> = []
    private(set) var variables: Set<String> = []
    private(set) var secrets: Set<String> = []

    /// Looks through all but the free space, where an expression is no more than text.
    init(_ document: Document) {
        visit(document.root, .mapping(JobTable.table.keys), in: document)
    }

    private mutating func visit(_ node: NodeID, _ shape: Shape, in document: Document) {
        switch document.kind(of: node) {
        case .scalar:
            guard document.hasInterpolation(node) else { return }
            for case .expression(let expression) in Template(document.text(of: node)).pieces {
                add(expression)
            }
        case .sequence:
            for element in document.elements(of: node) {
                visit(element, shape.element, in: document)
            }
        case .mapping:
            for entry in document.entries(of: node) {
                guard let inner = shape.value(of: document.text(of: entry.key)) else { continue }
                visit(entry.value, inner, in: document)
            }
        }
    }

    private mutating func add(_ expression: Expression) {
        switch expression.namespace {
        case .env: environment.insert(expression.name)
        case .var: variables.insert(expression.name)
        case .secret: secrets.insert(expression.name)
        case .item, .run, .task, .body: break
        }
    }
}

extension Shape {
    /// The shape of the elements of a list with this shape.
    var element: Shape {
        switch self {
        case .list(let element), .nonEmptyList(let element), .oneOrMore(let element),
            .tuple(let element, _):
            element
        case .either(let one, let other): one.isList ? one.element : other.element
        default: .anything
        }
    }

    var isList: Bool {
        switch self {
        case .list, .nonEmptyList, .oneOrMore, .tuple: true
        case .either(let one, let other): one.isList || other.isList
        default: false
        }
    }

    /// The shape of the value under a key of a mapping with this shape; nil in free space.
    func value(of key: String) -> Shape? {
        switch self {
        case .mapping(let table): table.keys.first { $0.name == key }?.shape
        case .variants(_, let tables):
            tables.lazy.flatMap(\.keys).first { $0.name == key }?.shape
        case .named(let value, _, let hasFreeKeys):
            hasFreeKeys && key.hasBytePrefix("x-") ? nil : value
        case .someNamed(let value, _): value
        case .either(let one, let other): one.isMapping ? one.value(of: key) : other.value(of: key)
        case .oneOrMore(let one): one.value(of: key)
        default: .anything
        }
    }

    var isMapping: Bool {
        switch self {
        case .mapping, .variants, .named, .someNamed: true
        case .either(let one, let other): one.isMapping || other.isMapping
        case .oneOrMore(let one): one.isMapping
        default: false
        }
    }
}
