internal import JSON
internal import JobFile

/// The JSON Schema (draft-07) of the job file, made from the tables that the decoder reads with.
///
/// Keys that are known and not supported yet are left out, because the runner refuses them.
package struct JobSchema: ~Copyable {
    private var writer = JSONWriter(isPretty: true)
    private var tables: [KeyTable] = []

    private init() {}

    /// The schema as JSON text with a line feed at its end.
    package static var text: [UInt8] {
        var schema = JobSchema()
        schema.write()
        return schema.writer.bytes
    }

    private mutating func write() {
        let root = JobTable.table.keys
        writer.beginObject()
        writer.member("$schema", "http://json-schema.org/draft-07/schema#")
        // The schema has no permanent URL; its name identifies it.
        writer.member("$id", "job.schema.json")
        writer.member("title", "A job file of runner, version 1")
        writeMembers(of: root)
        writer.key("definitions")
        writer.beginObject()
        writer.key("expression")
        writer.beginObject()
        writer.member("description", "Text with `${env.NAME}` or `${var.name}` in it.")
        writer.member("type", "string")
        writer.member("pattern", #"\$\{"#)
        writer.endObject()
        // Writing a table may find further ones.
        var written: Set<String> = []
        var next = 0
        while next < tables.count {
            let table = tables[next]
            next += 1
            guard written.insert(table.name).inserted else { continue }
            writer.key(table.name)
            writer.beginObject()
            writeMembers(of: table)
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
        writer.newline()
    }

    /// The members that describe a mapping of known keys.
    private mutating func writeMembers(of table: KeyTable) {
        writer.member("type", "object")
        let required = table.keys.filter(\.isRequired).map(\.name)
        if !required.isEmpty { list("required", required) }
        let alternatives = table.alternativeNames
        if !alternatives.isEmpty {
            writer.key("oneOf")
            writer.beginArray()
            for name in alternatives {
                writer.beginObject()
                list("required", [name])
                writer.endObject()
            }
            writer.endArray()
        }
        writePartners(table)
        writeConditions(table)
        writer.key("properties")
        writer.beginObject()
        for key in table.keys { object(key.name) { $0.write(key) } }
        writer.endObject()
        writeFreeKeys()
        writer.member("additionalProperties", false)
    }

    /// The members that describe a key: the texts, its default, an example if it says more than the
    /// shape, and the shape.
    private mutating func write(_ key: KeyDescription) {
        let standard = key.default
        let text = standard.map { " Default: \($0.text)." } ?? ""
        let markdown = standard.map { " Default: \($0.isValue ? "`\($0.text)`" : $0.text)." } ?? ""
        writer.member("description", key.summary + text)
        // Editors show the backquotes of a description as they are.
        writer.member("markdownDescription", key.summary + markdown)
        if let standard, standard.isValue, let value = NotedValue(standard.text) {
            writer.key("default")
            value.write(to: &writer)
        }
        let shape = key.shape
        if shape.explainsScalars, let value = NotedValue(key.exampleText) {
            writer.key("examples")
            writer.beginArray()
            value.write(to: &writer)
            writer.endArray()
        }
        if case .named(.mapping(let table), _, _) = shape {
            writeSnippet(key.name, key.summary) { schema in
                schema.writer.beginObject()
                schema.writer.key(NotedValue.place(1, "name"))
                NotedValue(table.exampleText)?.writeSnippet(to: &schema.writer, after: 1)
                schema.writer.endObject()
            }
        }
        write(shape)
    }

    /// Writes what editors offer to fill in at a value.
    private mutating func writeSnippet(
        _ label: String,
        _ summary: String,
        _ body: (inout JobSchema) -> Void
    ) {
        writer.key("defaultSnippets")
        writer.beginArray()
        writer.beginObject()
        writer.member("label", label)
        writer.member("description", summary)
        writer.key("body")
        body(&self)
        writer.endObject()
        writer.endArray()
    }

    /// Writes the keys that other keys need.
    private mutating func writePartners(_ table: KeyTable) {
        guard !table.partners.isEmpty else { return }
        writer.key("dependencies")
        writer.beginObject()
        for (key, partner) in table.partners { list(table.names[key], [table.names[partner]]) }
        writer.endObject()
    }

    /// Writes the keys that are required where another key has a value, and forbidden elsewhere.
    ///
    /// An expression may have that value or not.
    private mutating func writeConditions(_ table: KeyTable) {
        let conditions = table.keys.compactMap { key in key.condition.map { (key.name, $0) } }
        guard !conditions.isEmpty else { return }
        writer.key("allOf")
        writer.beginArray()
        for (name, condition) in conditions {
            writer.beginObject()
            object("if") { schema in
                schema.list("required", [condition.key])
                schema.property(condition.key) { $0.writer.member("const", condition.value) }
            }
            object("then") { $0.list("required", [name]) }
            object("else") { schema in
                schema.object("not") { schema in
                    schema.list("required", [name])
                    schema.property(condition.key) { schema in
                        schema.writer.key("not")
                        schema.reference("expression")
                    }
                }
            }
            writer.endObject()
        }
        writer.endArray()
    }

    private mutating func property(_ name: String, _ body: (inout JobSchema) -> Void) {
        object("properties") { $0.object(name, body) }
    }

    private mutating func object(_ name: String, _ body: (inout JobSchema) -> Void) {
        writer.key(name)
        writer.beginObject()
        body(&self)
        writer.endObject()
    }

    private mutating func writeFreeKeys() {
        writer.key("patternProperties")
        writer.beginObject()
        writer.member("^x-", true)
        writer.endObject()
    }

    /// The members that describe a value.
    private mutating func write(_ shape: Shape) {
        switch shape {
        case .anything: break
        case .scalar: list("type", ["string", "number", "boolean", "null"])
        case .text(nil, _), .credential: list("type", ["string", "number", "boolean"])
        case .text(let pattern?, _):
            orExpression {
                $0.writer.member("type", "string"); $0.writer.member("pattern", pattern)
            }
        case .boolean: orExpression { $0.writer.member("type", "boolean") }
        case .integer(let range):
            orExpression {
                $0.writer.member("type", "integer")
                $0.writer.member("minimum", Double(range.lowerBound))
                $0.writer.member("maximum", Double(range.upperBound))
            }
        case .number(let range):
            orExpression {
                $0.writer.member("type", "number")
                $0.writer.member("minimum", range.lowerBound)
                $0.writer.member("maximum", range.upperBound)
            }
        case .choice(let names): orExpression { $0.writeChoice(names) }
        case .either(let one, let other): anyOf([one, other])
        case .list(let element): writeList(element)
        case .nonEmptyList(let element): writeList(element, atLeast: 1)
        case .tuple(let element, let counts):
            writeList(element, atLeast: counts.lowerBound)
            writer.member("maxItems", Double(counts.upperBound))
        case .oneOrMore(let element): writeOneOrMore(element)
        case .mapping(let table):
            tables.append(table)
            writeMapping(table)
        case .variants(_, let variants):
            tables += variants
            writer.key("oneOf")
            writer.beginArray()
            for table in variants { reference(table.name) }
            writer.endArray()
        case .named(let value, let pattern, let hasFreeKeys):
            writeNamed(value, pattern, hasFreeKeys)
        case .someNamed(let value, let pattern):
            writeNamed(value, pattern, false)
            writer.member("minProperties", 1)
        }
    }

    /// The reference to a table, or the value that may stand for its mapping.
    private mutating func writeMapping(_ table: KeyTable) {
        let short = table.keys.first { $0.name == table.shortForm }?.shape
        if let short {
            writer.key("anyOf")
            writer.beginArray()
            writer.beginObject()
            write(short)
            writer.endObject()
            writer.beginObject()
        }
        // A reference hides its siblings in draft-07, and the description is one.
        writer.key("allOf")
        writer.beginArray()
        reference(table.name)
        writer.endArray()
        if short != nil {
            writer.endObject()
            writer.endArray()
        }
    }

    private mutating func writeNamed(_ value: Shape, _ pattern: String, _ hasFreeKeys: Bool) {
        writer.member("type", "object")
        writer.key("patternProperties")
        writer.beginObject()
        writer.key(hasFreeKeys ? "^(?!x-)" + pattern.dropFirst() : pattern)
        writer.beginObject()
        write(value)
        if case .mapping(let table) = value, let example = NotedValue(table.exampleText) {
            writeSnippet(table.name, "The keys that it needs.") {
                example.writeSnippet(to: &$0.writer)
            }
        }
        writer.endObject()
        if hasFreeKeys {
            writer.member("^x-", true)
        }
        writer.endObject()
        writer.member("additionalProperties", false)
    }

    /// The names, and their YAML values where these are no strings: `true`, `1.2`.
    private mutating func writeChoice(_ names: [String]) {
        writer.key("enum")
        writer.beginArray()
        for name in names {
            switch Scalar(plain: name) {
            case .bool, .integer, .float:
                writer.raw(name.utf8)
                writer.string(name)
            default:
                writer.string(name)
            }
        }
        writer.endArray()
    }

    private mutating func writeList(_ element: Shape, atLeast count: Int = 0) {
        writer.member("type", "array")
        if count > 0 { writer.member("minItems", Double(count)) }
        writer.key("items")
        writer.beginObject()
        write(element)
        writer.endObject()
    }

    private mutating func writeOneOrMore(_ element: Shape) {
        writer.key("anyOf")
        writer.beginArray()
        writer.beginObject()
        write(element)
        writer.endObject()
        writer.beginObject()
        writeList(element, atLeast: 1)
        writer.endObject()
        writer.endArray()
    }

    private mutating func anyOf(_ shapes: [Shape]) {
        writer.key("anyOf")
        writer.beginArray()
        for shape in shapes {
            writer.beginObject()
            write(shape)
            writer.endObject()
        }
        writer.endArray()
    }

    /// Writes the schema from `body`, or text with an expression.
    private mutating func orExpression(_ body: (inout JobSchema) -> Void) {
        writer.key("anyOf")
        writer.beginArray()
        writer.beginObject()
        body(&self)
        writer.endObject()
        reference("expression")
        writer.endArray()
    }

    private mutating func reference(_ name: String) {
        writer.beginObject()
        writer.member("$ref", "#/definitions/" + name)
        writer.endObject()
    }

    private mutating func list(_ name: String, _ values: [String]) {
        writer.key(name)
        writer.beginArray()
        for value in values { writer.string(value) }
        writer.endArray()
    }
}

/// A value in the notation of the job file, for the JSON Schema.
struct NotedValue {
    private let document: Document

    /// Nil where the text is no YAML.
    init?(_ text: String) {
        guard let document = Document.parse(Array(text.utf8), name: "value").document else {
            return nil
        }
        self.document = document
    }

    /// Writes the value as JSON.
    func write(to writer: inout JSONWriter) {
        write(document.root, to: &writer) { document.text(of: $0) }
    }

    /// Writes the value as JSON in which editors let the author fill in each text, in this order.
    ///
    /// - Parameters:
    ///   - writer: Gets the value.
    ///   - count: How many places to fill in are before the value.
    func writeSnippet(to writer: inout JSONWriter, after count: Int = 0) {
        var count = count
        write(document.root, to: &writer) {
            count += 1
            return Self.place(count, document.text(of: $0))
        }
    }

    /// The place of a text to fill in, as in the snippets of the Language Server Protocol.
    static func place(_ number: Int, _ text: String) -> String {
        let isSpecial = { "\\$}".contains($0) }
        let escaped = text.map { isSpecial($0) ? "\\\($0)" : "\($0)" }.joined()
        return "${\(number):\(escaped)}"
    }

    private func write(
        _ node: NodeID,
        to writer: inout JSONWriter,
        _ text: (NodeID) -> String
    ) {
        switch document.kind(of: node) {
        case .sequence:
            writer.beginArray()
            for element in document.elements(of: node) { write(element, to: &writer, text) }
            writer.endArray()
        case .mapping:
            writer.beginObject()
            for entry in document.entries(of: node) {
                writer.key(document.text(of: entry.key))
                write(entry.value, to: &writer, text)
            }
            writer.endObject()
        case .scalar:
            switch document.scalar(of: node) {
            case .null: writer.null()
            case .bool(let value): writer.bool(value)
            case .integer(let value?): writer.integer(value)
            case .float(let value): writer.number(value)
            default: writer.string(text(node))
            }
        }
    }
}
