internal import JSON
internal import TransferModel

/// Writes the values of the report: JSON, its dates, and text that others had a hand in.
///
/// Nothing that the report must not tell passes through it: credentials in header fields and in URLs.
struct ReportWriter {
    /// How much of one text from a peer is kept, bytes.
    static let maximumForeignBytes = 8192

    var json = JSONWriter()
    private var dates = TimestampFormatter()
    /// Heads are told of by their exchange and again by their task: the second time, the text is there already.
    private var response = Rendered(HeaderFields())
    private var request = Rendered([HeaderField]())

    private struct Rendered<Fields: Equatable> {
        var fields: Fields
        var text = JSONWriter()

        init(_ fields: Fields) {
            self.fields = fields
            text.raw("[]".utf8)
        }
    }

    /// Writes null for nil, else what `write` writes.
    mutating func optional<Value>(
        _ value: Value?,
        write: (Value, inout ReportWriter) -> Void
    ) {
        if let value {
            write(value, &self)
        } else {
            json.null()
        }
    }

    mutating func date(_ date: Timestamp) {
        json.plainString { dates.append(date, to: &$0) }
    }

    /// Writes text that a peer may have had a hand in, limited in length and without user information of URLs.
    mutating func foreignText(_ text: String) {
        Self.write(foreign: text, to: &json)
    }

    /// Writes the fields of a response as a list of names and values.
    mutating func fields(_ fields: HeaderFields) {
        if fields != response.fields {
            response.fields = fields
            response.text.reset()
            Self.write(fields, to: &response.text)
        }
        json.raw(response.text.bytes)
    }

    /// Writes the fields of a request as a list of names and values.
    mutating func fields(_ fields: [HeaderField]) {
        if fields != request.fields {
            request.fields = fields
            request.text.reset()
            Self.write(fields, to: &request.text)
        }
        json.raw(request.text.bytes)
    }

    private static func write(_ fields: [HeaderField], to json: inout JSONWriter) {
        json.beginArray()
        for field in fields {
            json.beginObject()
            json.key(fieldKeys, at: 0)
            json.string(field.name)
            json.key(fieldKeys, at: 1)
            if Redaction.isSecretField(field.name.utf8.span) {
                json.string(Redaction.mark)
            } else {
                write(foreign: field.value, to: &json)
            }
            json.endObject()
        }
        json.endArray()
    }

    private static func write(_ fields: HeaderFields, to json: inout JSONWriter) {
        json.beginArray()
        fields.forEach { name, value in
            json.beginObject()
            json.key(fieldKeys, at: 0)
            json.latin1(name.prefix(maximumForeignBytes))
            json.key(fieldKeys, at: 1)
            if Redaction.isSecretField(name.span) {
                json.string(Redaction.mark)
            } else if Redaction.isHarmless(value.span, maximumBytes: maximumForeignBytes) {
                json.latin1(value)
            } else {
                write(foreign: HeaderFields.text(value), to: &json)
            }
            json.endObject()
        }
        json.endArray()
    }

    private static func write(foreign text: String, to json: inout JSONWriter) {
        json.string(Redaction.text(text, maximumBytes: maximumForeignBytes))
    }

    private static let fieldKeys = JSONKeys(["name", "value"])
}
