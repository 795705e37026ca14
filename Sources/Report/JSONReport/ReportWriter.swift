internal import JSON
internal import SystemKit
internal import TransferModel

/// Writes the values of the report: JSON, its dates, and text that others had a hand in.
///
/// Nothing that the report must not tell passes through it: secrets, and credentials in header
/// fields and in URLs.
struct ReportWriter: ~Copyable {
    /// How much of one text from a peer is kept, bytes.
    static let maximumForeignBytes = 8192

    var json = JSONWriter()
    /// Nil in a run without secrets; comes with each redacted value.
    private var redactor: Redactor?
    private var dates = TimestampFormatter()
    /// A task and its last exchange tell of the same response, and there may be one of another
    /// exchange in between: the second time, the text is there already.
    private var recentResponse = WrittenResponse()
    private var earlierResponse = WrittenResponse()
    /// Most requests of a run have the same fields.
    private var lastRequestFields = HeaderFields()
    private var requestFieldsText = JSONWriter()

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

    /// Writes text that a peer may have had a hand in, limited in length and without user
    /// information of URLs.
    mutating func foreignText(_ text: String, isReference: Bool = false) {
        let foreign = ForeignText(redactor: redactor)
        json.string(foreign.open(text, maximumBytes: Self.maximumForeignBytes, isReference))
    }

    /// Writes the object that is made from `subject`, without what `redactor` finds.
    @inline(__always)
    mutating func object<Object: ReportObject>(
        _ object: Object.Type,
        _ subject: consuming Object.Subject,
        hiding redactor: Redactor?
    ) {
        self.redactor = redactor
        self.object(object, subject)
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
        if !recentResponse.isOf(response) {
            swap(&recentResponse, &earlierResponse)
            if !recentResponse.isOf(response) { write(response) }
        }
        json.value(recentResponse.text)
    }

    /// Writes the text that stands for a response from now on.
    private mutating func write(_ response: ResponseHead) {
        recentResponse.response = response
        recentResponse.text.reset()
        swap(&json, &recentResponse.text)
        object(ResponseHead.Report.self, response)
        swap(&json, &recentResponse.text)
    }

    /// Writes the fields of a request as a list of names and values, credentials redacted.
    mutating func requestFields(_ fields: HeaderFields) {
        if fields.isEmpty { return self.fields(fields) }
        if !fields.hasSameLines(as: lastRequestFields) {
            lastRequestFields = fields
            requestFieldsText.reset()
            swap(&json, &requestFieldsText)
            self.fields(fields)
            swap(&json, &requestFieldsText)
        }
        json.value(requestFieldsText)
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
        } else {
            let isReference = Redaction.isReferenceField(name)
            if redactor == nil,
                Redaction.isHarmless(value, maximumBytes: maximum, isReference: isReference)
            {
                json.latin1(value)
            } else {
                characters(value, isReference: isReference)
            }
        }
        json.endObject()
    }

    /// Writes bytes as the characters of the same numbers, as text that a peer had a hand in.
    private mutating func characters(_ value: Span<UInt8>, isReference: Bool = false) {
        var bytes: [UInt8] = []
        bytes.append(value)
        foreignText(HeaderFields.text(bytes[...]), isReference: isReference)
    }
}

/// The head of a response and the object that the report has for it.
private struct WrittenResponse: ~Copyable {
    /// Nil before the first one.
    var response: ResponseHead?
    var text = JSONWriter()

    func isOf(_ other: ResponseHead) -> Bool {
        guard let response else { return false }
        return response.statusCode == other.statusCode
            && response.fields.hasSameLines(as: other.fields)
    }
}

extension HeaderFields {
    /// Compared as bytes at once: it is done several times for every task.
    fileprivate func hasSameLines(as other: HeaderFields) -> Bool {
        lines.span.equals(other.lines.span)
    }
}
