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
    private var lastRequest = RenderedFields()
    private var lastResponse = RenderedFields()

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
        json.string(Redaction.text(text, maximumBytes: Self.maximumForeignBytes))
    }

    /// Writes the fields of a request as a list of names and values.
    mutating func requestFields(_ fields: HeaderFields) {
        lastRequest.update(to: fields)
        json.raw(lastRequest.text)
    }

    /// Writes the fields of a response as a list of names and values.
    mutating func responseFields(_ fields: HeaderFields) {
        lastResponse.update(to: fields)
        json.raw(lastResponse.text)
    }
}
