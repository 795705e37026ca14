internal import JobFile

/// `form`: names and values of an `application/x-www-form-urlencoded` body.
enum FormType {
    private static let value = Shape.text(pattern: nil)

    static let type = ValueType<[UInt8]>(
        .named(.either(value, .list(value)), pattern: "^", hasFreeKeys: false)
    ) { reader, field in reader.form(field) }
}

extension Reader {
    /// The entries of a mapping in its order, a list as its name again and again; nil after a
    /// fault.
    fileprivate mutating func form(_ field: Field) -> [UInt8]? {
        guard isMapping(field, help: "write `name: value`") else { return nil }
        values.isReadingBody = true
        defer { values.isReadingBody = false }
        let errors = faults.log.errorCount
        var form = FormText()
        for entry in document.entries(of: field.node) {
            let inner = Field(name: document.text(of: entry.key), key: entry.key, node: entry.value)
            warnOfExpression(inKeyOf: inner)
            let nodes =
                document.kind(of: entry.value) == .sequence
                ? Array(document.elements(of: entry.value)) : [entry.value]
            for node in nodes {
                let value = Field(name: inner.name, key: inner.key, node: node)
                warnOfPlaceholders(in: value, isBody: true)
                guard let text = sentText(value, as: .body) else { continue }
                form.append(name: inner.name, value: text)
                guard form.bytes.count <= Self.largestBody else {
                    reportTooLarge(field.name, at: field.key)
                    return nil
                }
            }
        }
        return faults.log.errorCount == errors ? form.bytes : nil
    }
}
