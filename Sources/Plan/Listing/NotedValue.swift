internal import JSON
internal import JobFile

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
