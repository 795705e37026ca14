internal import JSON
internal import SystemKit
internal import TransferModel

/// Writes the values of the report: JSON, its dates, and text that others had a hand in.
///
/// Nothing that the report must not tell passes through it: secrets, and credentials in header fields and in URLs.
struct ReportWriter: ~Copyable {
    /// How much of one text from a peer is kept, bytes.
    static let maximumForeignBytes = 8192

    var json = JSONWriter()
    /// Nil in a run without secrets.
    private let redactor: Redactor?
    private var dates = TimestampFormatter()
    /// A task and its last exchange tell of the same response: the second time, the text is there already.
    private var lastResponse: ResponseHead?
    private var responseText = JSONWriter()
    /// Most requests of a run have the same fields.
    private var lastRequestFields = HeaderFields()
    private var requestFieldsText = JSONWriter()

    init(redactor: Redactor? = nil) { self.redactor = redactor }

    /// Writes null for nil, else what `write` writes.
    @inline(__always)
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
        json.plainString(dates.text(of: date).span)
    }

    /// Writes text of the job file, whole.
    mutating func text(_ text: String) {
        json.string(redactor?.redacted(text) ?? text)
    }

    /// Writes text that a peer may have had a hand in, limited in length and without user information of URLs.
    mutating func foreignText(_ text: String) {
        let text = redactor?.redacted(text) ?? text
        json.string(Redaction.text(text, maximumBytes: Self.maximumForeignBytes))
    }

    /// Writes the object that is made from `subject`.
    mutating func object<Object: ReportObject>(
        _ object: Object.Type,
        _ subject: consuming Object.Subject
    ) {
        json.beginObject()
        var members = WrittenMembers(of: subject, to: self)
        object.declare(in: &members)
        self = members.end()
        json.endObject()
    }

    /// Writes the head of a response.
    mutating func response(_ response: ResponseHead) {
        let isLast = lastResponse.map {
            $0.statusCode == response.statusCode && Self.isEqual($0.fields, response.fields)
        }
        if isLast != true {
            lastResponse = response
            responseText.reset()
            swap(&json, &responseText)
            object(ResponseHead.Report.self, response)
            swap(&json, &responseText)
        }
        json.value(responseText)
    }

    /// Writes the fields of a request as a list of names and values, credentials redacted.
    mutating func requestFields(_ fields: HeaderFields) {
        if fields.isEmpty { return self.fields(fields) }
        if !Self.isEqual(fields, lastRequestFields) {
            lastRequestFields = fields
            requestFieldsText.reset()
            swap(&json, &requestFieldsText)
            self.fields(fields)
            swap(&json, &requestFieldsText)
        }
        json.value(requestFieldsText)
    }

    /// Compared as bytes at once: it is done twice for every task.
    private static func isEqual(_ fields: HeaderFields, _ others: HeaderFields) -> Bool {
        fields.lines.span.equals(others.lines.span)
    }

    /// Writes header fields as a list of names and values, credentials redacted.
    mutating func fields(_ fields: HeaderFields) {
        json.beginArray()
        fields.forEach { field(name: $0, value: $1) }
        json.endArray()
    }

    private mutating func field(name: Span<UInt8>, value: Span<UInt8>) {
        let maximum = Self.maximumForeignBytes
        json.beginObject()
        json.key(plain: "name")
        if redactor == nil {
            json.latin1(name.extracting(first: maximum))
        } else {
            characters(name)
        }
        json.key(plain: "value")
        if Redaction.isSecretField(name) {
            json.string(Secret.mark)
        } else if redactor == nil, Redaction.isHarmless(value, maximumBytes: maximum) {
            json.latin1(value)
        } else {
            characters(value)
        }
        json.endObject()
    }

    /// Writes bytes as the characters of the same numbers, as text that a peer had a hand in.
    private mutating func characters(_ value: Span<UInt8>) {
        var bytes: [UInt8] = []
        bytes.append(value)
        foreignText(HeaderFields.text(bytes[...]))
    }
}
