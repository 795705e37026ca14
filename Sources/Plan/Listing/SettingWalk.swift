internal import Diagnostics
internal import JobFile
internal import TransferModel

/// Finds what holds for each key of a table, and where that was set.
struct SettingWalk {
    private var reader: Reader
    private(set) var rows: [SettingRow] = []
    /// The rows whose values depend on the item, and where these stand.
    private var itemRows: [(row: Int, node: NodeID, place: ValuePlace)] = []

    private let confidential: ConfidentialVariables
    /// Elements of a list that are displayed: each task of a `forEach` would repeat all its items.
    private static let mostElements = 100

    init(_ reader: Reader) {
        self.reader = reader
        confidential = ConfidentialVariables(of: reader.document)
    }

    /// Adds the settings of a table; the first of the mappings that has a key says what holds.
    mutating func walk(_ table: KeyTable, in mappings: [NodeID], path: String = "") {
        for key in table.keys {
            let found = mappings.compactMap { mapping in
                key.name == table.shortForm && reader.document.kind(of: mapping) == .scalar
                    ? (mapping, mapping) : reader.document.value(of: mapping, for: key.name)
            }
            switch key.shape {
            case .mapping(let inner):
                // Without a value of its own a required key in there is not a default but absent.
                if inner.required | inner.alternatives != 0, found.isEmpty { continue }
                walk(inner, in: found.map(\.value), path: path + key.name + ".")
            case .either(_, .mapping(let inner)) where found.first.map(isMapping) == true:
                // A mapping with required keys is not merged: the first mapping alone applies.
                let merged =
                    inner.required == 0 ? Array(found.prefix(while: isMapping)) : [found[0]]
                walk(inner, in: merged.map(\.value), path: path + key.name + ".")
            case .credential:
                if let first = found.first { addCredential(path + key.name, first) }
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
                    let place = ValuePlace(shape: key.shape, key: key.name, isKnown: true)
                    add(path + key.name, first.value, setBy: first.key, place)
                } else if let value = key.defaultText {
                    rows.append(SettingRow(path: path + key.name, value: value, line: nil))
                }
            }
        }
    }

    private func isMapping(_ entry: (key: NodeID, value: NodeID)) -> Bool {
        reader.document.kind(of: entry.value) == .mapping
    }

    /// Adds a value of which only the expressions are shown that ask for it.
    private mutating func addCredential(_ path: String, _ entry: (key: NodeID, value: NodeID)) {
        let line = reader.document.range(of: entry.key).start.line
        rows.append(SettingRow(path: path, value: displayCredential(entry.value), line: line))
    }

    /// Adds what mappings have under names that the job chose, and what lists name alone.
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
                let kind = reader.document.kind(of: entry.value)
                let row = path + PublicValues.shownName(name)
                if Shape.isSecret(named: name, shape.value(of: name), kind) {
                    addCredential(row, entry)
                } else {
                    var place = ValuePlace(of: name, in: shape)
                    place.isSecretPart =
                        kind == .mapping && SecretName.isOne(name)
                        && place.shape.knows(Shape.valuesOfPart[0])
                    place.isText = HeaderRule.isPublic(name) && shape.isOfHeaders
                    add(row, entry.value, setBy: entry.key, place)
                }
            }
            for element in reader.document.elements(of: collection) {
                let name = PublicValues.shownName(reader.document.text(of: element))
                guard known.insert(same(name)).inserted else { continue }
                let line = reader.document.range(of: element).start.line
                rows.append(SettingRow(path: path + name, value: "any", line: line))
            }
        }
    }

    /// Adds what the entries of a list say, each by the table that the value of one of its keys
    /// names.
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

    /// Shows what holds for a row of a `forEach`; nil for one that cannot be read, whose values
    /// stay expressions.
    mutating func enter(_ row: Row?) {
        reader.values.row = row
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
        case .mapping: return "{\(displayEntries(of: node, place))}"
        }
    }

    private mutating func displayElements(of node: NodeID, _ place: ValuePlace) -> String {
        var elements: [String] = []
        var hidden = 0
        for element in reader.document.elements(of: node) {
            if elements.count == Self.mostElements {
                hidden += 1
            } else if place.isCommand {
                elements.append(displayArgument(element, isProgram: elements.isEmpty))
            } else {
                elements.append(display(element, place.element))
            }
        }
        if hidden > 0 { elements.append("and \(hidden) more") }
        return elements.joined(separator: ", ")
    }

    /// The path of a program, or the name of an option; any other argument may be a password.
    private func displayArgument(_ node: NodeID, isProgram: Bool) -> String {
        guard reader.document.kind(of: node) == .scalar, !reader.document.hasInterpolation(node)
        else { return displayCredential(node) }
        let text = reader.document.text(of: node)
        if isProgram { return PublicValues.isProgram(text) ? text : Secret.mark }
        guard let option = PublicValues.option(in: text) else { return Secret.mark }
        return option.utf8.count == text.utf8.count ? text : "\(option)=\(Secret.mark)"
    }

    private mutating func displayEntries(of node: NodeID, _ place: ValuePlace) -> String {
        let shape = place.shape.narrowed(to: node, in: reader.document)
        let isPair = Shape.isPairOfSecret(node, in: reader.document)
        var isBehindSecret = false
        let entries = reader.document.entries(of: node).map { entry in
            // The end of a secret after its comma: `{ password: one,two }`.
            let isAlone = reader.document.isEmptyScalar(entry.value)
            if isBehindSecret, isAlone { return Secret.mark }
            let key = reader.document.text(of: entry.key)
            let name = SecretName.withoutJoinedValue(key, isAlone: isAlone)
            isBehindSecret =
                place.isSecretPart && Shape.valuesOfPart.contains(name)
                || isPair && Shape.isValueOfPair(name) || SecretName.isOne(name)
            let inner = ValuePlace(of: name, in: shape)
            let isSecret = isBehindSecret && !inner.shape.isMapping || inner.shape.isCredential
            let value =
                isSecret || isBehindSecret && inner.shape.isAnything
                ? displayCredential(entry.value) : display(entry.value, inner)
            return "\(shape.knows(name) ? name : PublicValues.shownName(name)): \(value)"
        }
        return entries.joined(separator: ", ")
    }

    /// The expressions of a scalar as they are written, without their fallbacks and the text around
    /// them.
    private func displayCredential(_ node: NodeID) -> String {
        guard reader.document.kind(of: node) == .scalar, reader.document.hasInterpolation(node)
        else { return Secret.mark }
        let text = reader.document.text(of: node)
        return Template(text).pieces.map { piece in
            switch piece {
            case .literal(let literal): SecretName.isScheme(literal) ? literal : Secret.mark
            case .expression(let expression): expression.writtenWithoutFallback(in: text)
            }
        }.joined()
    }

    /// A scalar: whole where its place holds no secrets, otherwise its expressions alone.
    private mutating func displayScalar(_ node: NodeID, _ place: ValuePlace) -> String {
        if place.isURL {
            return PublicValues.withoutTokens(NamedSecrets.redacted(displayURL(node)))
        }
        let text = reader.document.text(of: node)
        guard reader.document.hasInterpolation(node) else {
            guard !place.isText else { return NamedSecrets.redacted(text) }
            let bytes = Array(text.utf8)
            let shown = place.shownLength(of: bytes[...])
            guard shown < bytes.count else { return NamedSecrets.redacted(text) }
            return String(decoding: bytes[..<shown], as: UTF8.self) + Secret.mark
        }
        guard place.isPublic else { return displayCredential(node) }
        let shown = Template(text).pieces.map { piece in
            switch piece {
            case .literal(let literal): return literal
            case .expression(let expression):
                return known(expression, text, node) ?? expression.shown(in: text)
            }
        }.joined()
        return NamedSecrets.redacted(shown)
    }

    /// A URL as it will be asked for, apart from values that are not known here or are filled in as
    /// they are.
    private mutating func displayURL(_ node: NodeID) -> String {
        let text = reader.document.text(of: node)
        guard reader.document.hasInterpolation(node) else { return text }
        var url = FilledURL()
        do {
            for piece in Template(text).pieces {
                switch piece {
                case .literal(let literal):
                    try url.append(.init(value: Self.value(literal)))
                case .expression(let expression):
                    if !expression.isRaw, let known = known(expression, text, node) {
                        try url.append(.init(value: Self.value(known), expression: expression))
                    } else {
                        url.append(unknown: expression.shown(in: text))
                    }
                }
            }
        } catch {
            return displayCredential(node)
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
                !confidential.contains(expression)
            else { return nil }
            return value.text
        case .item where reader.values.row != nil:
            return reader.isConfidential(expression, confidential)
                ? nil : display(expression, text, node)
        case .env, .secret, .item, .run, .task: return nil
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
    /// As it stands in a text; the fallback of one that asks for a secret by its name is redacted.
    fileprivate func shown(in text: String) -> String {
        SecretName.isOne(name) ? writtenWithoutFallback(in: text) : String(text.slice(range))
    }

    /// As it stands in a text, its fallback redacted: where a secret is asked for, that is one too.
    func writtenWithoutFallback(in text: String) -> String {
        let written = String(text.slice(range))
        guard let fallback else { return written }
        let front = written.utf8.count - fallback.utf8.count - 1
        guard front > 0 else { return Secret.mark }
        return written.slice(0..<front) + Secret.mark + "}"
    }
}
