internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// Finds the value that holds for each key of a table, and its place.
struct SettingWalk {
    private var reader: Reader
    private(set) var rows: [SettingRow] = []
    /// The rows whose values depend on the item, and where these stand.
    private var itemRows: [(row: Int, node: NodeID, place: ValuePlace)] = []

    private let disclosure: Disclosure
    /// The most elements of a list that are displayed: each task of a `forEach` would repeat all
    /// its items.
    private static let mostElements = 100

    /// A walk through the document of a reader.
    init(_ reader: Reader, _ disclosure: Disclosure) {
        self.reader = reader
        self.disclosure = disclosure
    }

    /// Adds the settings of a table; the first of the mappings that has a key decides its value.
    mutating func walk(_ table: KeyTable, in mappings: [NodeID], path: String = "") {
        let isBesideCredential = Shape.mapping(table).holdsCredentials
        for key in table.keys {
            let place = ValuePlace(
                shape: key.shape,
                key: key.name,
                isKnown: true,
                isBesideCredential: isBesideCredential
            )
            let found = mappings.compactMap { mapping in
                key.name == table.shortForm && reader.document.kind(of: mapping) == .scalar
                    ? (mapping, mapping) : reader.document.value(of: mapping, for: key.name)
            }
            switch key.shape {
            case .mapping(let inner):
                // A required key in that mapping has no default: without a value it is absent.
                if inner.required | inner.alternatives != 0, found.isEmpty { continue }
                walk(inner, in: found.map(\.value), path: path + key.name + ".")
            case .either(_, .mapping(let inner)) where found.first.map(isMapping) == true:
                // A mapping with required keys is not merged: the first mapping alone applies.
                let merged =
                    inner.required == 0 ? Array(found.prefix(while: isMapping)) : [found[0]]
                walk(inner, in: merged.map(\.value), path: path + key.name + ".")
            case .credential:
                if let first = found.first {
                    add(path + key.name, first.value, setBy: first.key, place)
                }
            case .named(_, HeaderRule.namePattern, _):
                walkNames(key.shape, in: found.map(\.value), path: path + key.name + ".") {
                    $0.lowercased()
                }
            case .named, .someNamed:
                walkNames(key.shape, in: found.map(\.value), path: path + key.name + ".") { $0 }
            case .list(.variants(let name, let tables)):
                guard let first = found.first else { continue }
                walkVariants(of: first.value, by: name, tables, path: path + key.name)
            case .either(.named, _):
                walkNames(key.shape, in: found.map(\.value), path: path + key.name + ".") { $0 }
            default:
                if let first = found.first {
                    add(path + key.name, first.value, setBy: first.key, place)
                } else if let value = key.default?.text {
                    rows.append(SettingRow(path: path + key.name, value: value, line: nil))
                }
            }
        }
    }

    private func isMapping(_ entry: (key: NodeID, value: NodeID)) -> Bool {
        reader.document.kind(of: entry.value) == .mapping
    }

    /// Adds the settings under names that the job chose, and the names in lists.
    ///
    /// If `same` makes several names equal, the first one applies.
    private mutating func walkNames(
        _ shape: Shape,
        in collections: [NodeID],
        path: String,
        same: (String) -> String
    ) {
        var known: Set<String> = []
        for collection in collections {
            for entry in reader.document.entries(of: collection) {
                let name = reader.document.text(of: entry.key)
                guard known.insert(same(name)).inserted else { continue }
                let row = path + displayName(name, in: shape)
                add(row, entry.value, setBy: entry.key, ValuePlace(of: name, in: shape))
            }
            for element in reader.document.elements(of: collection) {
                let name = displayName(reader.document.text(of: element), in: shape)
                guard known.insert(same(name)).inserted else { continue }
                let line = reader.document.range(of: element).start.line
                rows.append(SettingRow(path: path + name, value: "any", line: line))
            }
        }
    }

    /// Adds the settings in the entries of a list, each by the table that the value of one of its
    /// keys names.
    private mutating func walkVariants(
        of list: NodeID,
        by name: String,
        _ tables: [KeyTable],
        path: String
    ) {
        for (index, element) in reader.document.elements(of: list).enumerated() {
            guard let value = reader.document.value(of: element, for: name) else { continue }
            let variant = reader.text(Field(name: name, key: value.key, node: value.value))
            let table = tables.first { table in
                table.keys.contains { key in
                    guard key.name == name, case .choice(let names) = key.shape else {
                        return false
                    }
                    return names.first == variant
                }
            }
            if let table { walk(table, in: [element], path: "\(path)[\(index)].") }
        }
    }

    private mutating func add(
        _ path: String,
        _ node: NodeID,
        setBy key: NodeID,
        _ place: ValuePlace
    ) {
        let line = reader.document.range(of: key).start.line
        if reader.dependsOnItem(node) { itemRows.append((rows.count, node, place)) }
        rows.append(SettingRow(path: path, value: display(node, place), line: line))
    }

    /// Shows the values for a row of a `forEach`; nil for a row that cannot be read, whose values
    /// stay expressions.
    mutating func enter(_ row: Row?) {
        reader.values.row = row
        reader.values.filledIn.length = 0
        for item in itemRows { rows[item.row].value = display(item.node, item.place) }
    }

    /// The id of a task, whose row was entered.
    mutating func id(of task: Int, _ place: TaskList.Place, in plan: Plan) -> String {
        guard let group = place.group, let row = reader.values.row,
            let key = RowKey.key(of: row, in: plan.source.tasks.groups[group].rows, &reader)
        else { return reader.id(of: task) }
        return "\(reader.id(of: Need(entry: place.entry)))[\(key)]"
    }

    /// The position of the session that a field names.
    mutating func session(_ field: Field) -> Int? {
        reader.text(field).flatMap { reader.sessions[$0] }
    }

    /// A value on one line, collections in brackets and braces.
    private mutating func display(_ node: NodeID, _ place: ValuePlace) -> String {
        switch reader.document.kind(of: node) {
        case .scalar: return displayScalar(node, place)
        case .sequence: return "[\(displayElements(of: node, place))]"
        case .mapping: return "{\(displayEntries(of: node, place.shape))}"
        }
    }

    private mutating func displayElements(of node: NodeID, _ place: ValuePlace) -> String {
        var elements: [String] = []
        var hidden = 0
        for element in reader.document.elements(of: node) {
            if elements.count == Self.mostElements {
                hidden += 1
            } else {
                elements.append(display(element, place.element))
            }
        }
        if hidden > 0 { elements.append("and \(hidden) more") }
        return elements.joined(separator: ", ")
    }

    private mutating func displayEntries(of node: NodeID, _ shape: Shape) -> String {
        let shape = shape.narrowed(to: node, in: reader.document)
        return reader.document.entries(of: node).map { entry in
            let name = reader.document.text(of: entry.key)
            let value = display(entry.value, ValuePlace(of: name, in: shape))
            return "\(displayName(name, in: shape)): \(value)"
        }.joined(separator: ", ")
    }

    /// A key of the language, or a name that the job may choose there.
    private func displayName(_ name: String, in shape: Shape) -> String {
        let isShown =
            shape.knows(name) || shape.hasChosenNames && shape.takesName(name)
        return isShown ? name : Diagnostic.dots
    }

    /// The expressions of a scalar as they are written, without their fallbacks and the text around
    /// them.
    private func displayExpressions(_ node: NodeID) -> String {
        guard reader.document.kind(of: node) == .scalar, reader.document.hasInterpolation(node)
        else { return Diagnostic.dots }
        let text = reader.document.text(of: node)
        return Template(text).pieces.map { piece in
            switch piece {
            case .literal(let literal): SecretName.isScheme(literal) ? literal : Diagnostic.dots
            case .expression(let expression): expression.writtenWithoutFallback(in: text)
            }
        }.joined()
    }

    /// A scalar: the text that `PublicValues` shows of it, otherwise its expressions alone.
    private mutating func displayScalar(_ node: NodeID, _ place: ValuePlace) -> String {
        if place.isURL, !place.isCredential, place.isKnown {
            let shown = withoutHidden(displayURL(node), place)
            return shown == Diagnostic.dots ? displayExpressions(node) : shown
        }
        guard reader.document.hasInterpolation(node) else {
            return withoutHidden(reader.document.text(of: node), place)
        }
        let (text, template) = reader.values.template(of: node, in: reader.document)
        var isKnown = true
        let filled = template.pieces.map { piece in
            switch piece {
            case .literal(let literal): return literal
            case .expression(let expression):
                if let known = known(expression, text, node) { return known }
                isKnown = false
                return expression.writtenWithoutFallback(in: text)
            }
        }.joined()
        let isShown = isKnown || disclosure.showsValues
        return isShown && withoutHidden(filled, place) == filled
            ? filled : displayExpressions(node)
    }

    private func withoutHidden(_ text: String, _ place: ValuePlace) -> String {
        let bytes = Array(text.utf8)
        let shown = PublicValues.length(
            of: bytes[...],
            at: place,
            names: disclosure.names,
            isSpan: disclosure.showsValues,
            mayBeLogin: bytes.contains(UInt8(ascii: "@")) && !text.containsBytes("/@")
        )
        guard shown < bytes.count else { return text }
        return String(decoding: bytes[..<shown], as: UTF8.self) + Diagnostic.dots
    }

    /// A URL as it will be asked for, apart from values that are not known here or are filled in as
    /// they are.
    private mutating func displayURL(_ node: NodeID) -> String {
        guard reader.document.hasInterpolation(node) else {
            return reader.document.text(of: node)
        }
        let (text, template) = reader.values.template(of: node, in: reader.document)
        var url = FilledURL()
        do {
            for piece in template.pieces {
                switch piece {
                case .literal(let literal):
                    try url.append(.init(value: Self.value(literal)))
                case .expression(let expression):
                    if !expression.isRaw, let known = known(expression, text, node) {
                        try url.append(.init(value: Self.value(known), expression: expression))
                    } else {
                        url.append(unknown: expression.writtenWithoutFallback(in: text))
                    }
                }
            }
        } catch {
            return displayExpressions(node)
        }
        return url.value.text
    }

    private static func value(_ text: String) -> ScalarValue {
        ScalarValue(text: text, type: .string, isFilledIn: false)
    }

    /// The value of an expression; nil when it is not shown here, or known only when the job runs.
    private mutating func known(
        _ expression: Expression,
        _ text: String,
        _ node: NodeID
    ) -> String? {
        switch expression.namespace {
        case .var:
            guard case .value(let value)? = reader.values.variables.states[expression.name],
                !value.isFromEnvironment, value.secrets.isEmpty,
                !disclosure.confidential.contains(expression)
            else { return nil }
            return value.text
        case .item where reader.values.row != nil:
            return reader.isConfidential(expression, disclosure.confidential)
                ? nil : display(expression, text, node)
        case .env, .secret, .item, .run, .task, .body: return nil
        }
    }

    /// The value of an expression that asks for the item; nil when it comes from the environment.
    private mutating func display(
        _ expression: Expression,
        _ text: String,
        _ node: NodeID
    ) -> String? {
        let field = Field(name: expression.written, key: node, node: node)
        switch (reader.values.item(expression, text, field, &reader.faults), expression.rule) {
        case (.value(let value), .fallback(let fallback)) where value.text.isEmpty: return fallback
        case (.value(let value), _): return value.isFromEnvironment ? nil : value.text
        case (.absent, .fallback(let fallback)): return fallback
        default: return nil
        }
    }
}

extension Expression {
    /// The expression as the job's author wrote it, but with dots for its fallback.
    fileprivate func writtenWithoutFallback(in text: String) -> String {
        let written = String(text.slice(range))
        guard let fallback else { return written }
        let front = written.utf8.count - fallback.utf8.count - 1
        guard front > 0 else { return Diagnostic.dots }
        return written.slice(0..<front) + Diagnostic.dots + "}"
    }
}

/// A setting that holds, and its source.
struct SettingRow: Sendable, Hashable {
    /// The keys down to it, such as `retry.backoff.initial`.
    var path: String
    /// The value on one line; values from the environment stay expressions.
    var value: String
    /// 1-based line of its key in the text of all files; nil when it is the default.
    var line: Int?
    /// The session that the value is taken from; nil when it is the setting's own.
    var session: String?
    /// Whether the environment decides about the value, though the job file does not name it.
    var isOfEnvironment = false

    /// Whether the job file or the environment sets the value.
    var isChosen: Bool { line != nil || isOfEnvironment }
}

/// The values of a job that a listing shows, besides the list of `PublicValues`.
struct Disclosure {
    /// The names that the job declares.
    let names: Set<String>
    /// The variables whose values may be secrets.
    let confidential: ConfidentialVariables
    /// Whether all values are shown that are no credential by the language.
    let showsValues: Bool

    /// Looks through the names of a document once.
    init(of document: Document, showsValues: Bool) {
        names = DeclaredNames.all(of: document)
        confidential = ConfidentialVariables(of: document)
        self.showsValues = showsValues
    }
}
