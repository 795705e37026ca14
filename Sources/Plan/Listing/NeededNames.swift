internal import JobFile

/// The names that the expressions of a document ask for.
struct NeededNames {
    private(set) var environment: Set<String> = []
    private(set) var variables: Set<String> = []
    private(set) var secrets: Set<String> = []

    init(_ document: Document) { visit(document.root, in: document) }

    private mutating func visit(_ node: NodeID, in document: Document) {
        switch document.kind(of: node) {
        case .scalar:
            guard document.hasInterpolation(node) else { return }
            for case .expression(let expression) in Template(document.text(of: node)).pieces {
                switch expression.namespace {
                case .env: environment.insert(expression.name)
                case .var: variables.insert(expression.name)
                case .secret: secrets.insert(expression.name)
                case .item, .run, .task: break
                }
            }
        case .sequence:
            for element in document.elements(of: node) { visit(element, in: document) }
        case .mapping:
            for entry in document.entries(of: node) { visit(entry.value, in: document) }
        }
    }
}
