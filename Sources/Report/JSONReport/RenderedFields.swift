internal import JSON
internal import TransferModel

/// A list of header fields and its text in the report.
struct RenderedFields {
    private static let keys = JSONKeys(["name", "value"])

    private var fields = HeaderFields()
    private var json = JSONWriter()

    init() {
        json.beginArray()
        json.endArray()
    }

    /// The fields as a JSON array of names and values, credentials redacted.
    var text: [UInt8] { json.bytes }

    /// Writes the text anew when the fields are others; the same buffer is recognised at once.
    mutating func update(to fields: HeaderFields) {
        guard fields != self.fields else { return }
        self.fields = fields
        json.reset()
        json.beginArray()
        fields.forEach { write(name: $0, value: $1) }
        json.endArray()
    }

    private mutating func write(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
        let maximum = ReportWriter.maximumForeignBytes
        json.beginObject()
        json.key(Self.keys, at: 0)
        json.latin1(name.prefix(maximum))
        json.key(Self.keys, at: 1)
        if Redaction.isSecretField(name.span) {
            json.string(Redaction.mark)
        } else if Redaction.isHarmless(value.span, maximumBytes: maximum) {
            json.latin1(value)
        } else {
            json.string(Redaction.text(HeaderFields.text(value), maximumBytes: maximum))
        }
        json.endObject()
    }
}
