internal import JSON
internal import SystemKit
internal import TransferModel

/// Writes the report's values: JSON, dates, and text that others may have influenced.
///
/// It removes secrets, and credentials in header fields and URLs.
struct ReportWriter: ~Copyable {
    /// The most bytes kept of one text from a peer.
    static let maximumForeignBytes = 8192

    var json = JSONWriter()
    /// Nil in a run without secrets; set with each redacted value.
    var redactor: Redactor?
    private var dates = TimestampFormatter()
    /// A task and its last exchange have the same response, perhaps with another exchange between.
    private let responses = RecentTexts(ResponseHead(statusCode: 0))
    /// Most requests of a run have the same fields, and most have others as they are sent.
    private let requestHeaders = RecentTexts(HeaderFields())
    /// Most tasks of a run have the same checks.
    private let checks = RecentTexts([TaskRecord.Check]())

    /// Writes null for nil, otherwise the value by `write`.
    @inline(__always)
    mutating func optional<Value>(_ value: Value?, write: (Value, inout ReportWriter) -> Void) {
        if let value {
            write(value, &self)
        } else {
            json.null()
        }
    }

    mutating func date(_ date: Timestamp) {
        json.plainString(dates.text(of: date).span)
    }

    /// Writes text of the job file, complete except for secrets.
    mutating func text(_ text: String) {
        json.string(redactor?.redacted(text) ?? text)
    }

    /// Writes text that a peer may have influenced, limited in length and without user information
    /// in URLs.
    mutating func foreignText(_ text: String, isReference: Bool = false) {
        let foreign = ForeignText(redactor: redactor)
        json.string(foreign.open(text, maximumBytes: Self.maximumForeignBytes, isReference))
    }

    /// Writes the head of a response.
    mutating func response(_ response: ResponseHead) {
        value(response, of: responses) { $1.object(ResponseHead.Report.self, $0) }
    }

    /// Writes a request's fields as a list of names and values, with redacted credentials.
    mutating func requestFields(_ fields: HeaderFields) {
        value(fields, of: requestHeaders) { $1.fields($0) }
    }

    /// Writes the checks of a task.
    mutating func checks(_ list: [TaskRecord.Check]) {
        value(list, of: checks) { $1.array(TaskRecord.Check.Report.self, $0) }
    }

    /// Writes a value as `write` does, or copies its text if it is among the `recent` ones.
    @inline(__always)
    private mutating func value<Value: Equatable>(
        _ value: Value,
        of recent: RecentTexts<Value>,
        write: (Value, inout ReportWriter) -> Void
    ) {
        if !recent.find(value) {
            swap(&json, &recent.text)
            write(value, &self)
            swap(&json, &recent.text)
        }
        json.value(recent.text)
    }

    /// Writes header fields as a list of names and values, with redacted credentials.
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

    /// Writes bytes as the characters with the same numbers, as text from a peer.
    private mutating func characters(_ value: Span<UInt8>, isReference: Bool = false) {
        var bytes: [UInt8] = []
        bytes.append(value)
        foreignText(HeaderFields.text(bytes[...]), isReference: isReference)
    }
}

/// The last two different values of a kind and their texts in the report; `text` belongs to the
/// value that was looked for last.
///
/// An object, because the writer moves with each object that it writes.
private final class RecentTexts<Value: Equatable> {
    var text = JSONWriter()
    private var value: Value
    private var earlierText = JSONWriter()
    private var earlierValue: Value

    /// No texts; an optional value would be copied for each comparison, hence the placeholder.
    init(_ placeholder: Value) { (value, earlierValue) = (placeholder, placeholder) }

    /// Whether `text` is the text of a value; otherwise `text` is empty, and the caller fills it in
    /// for the value.
    func find(_ wanted: Value) -> Bool {
        if text.count > 0, value == wanted { return true }
        swap(&text, &earlierText)
        swap(&value, &earlierValue)
        if text.count > 0, value == wanted { return true }
        value = wanted
        text.reset()
        return false
    }
}

/// Writes the members of an object with their values for a subject.
struct WrittenMembers<Subject>: ReportMembers, ~Copyable {
    private let subject: Subject
    private var writer: ReportWriter

    init(of subject: consuming Subject, to writer: consuming ReportWriter) {
        self.subject = subject
        self.writer = writer
    }

    /// Returns the writer.
    consuming func end() -> ReportWriter { writer }

    @inline(__always)
    mutating func member(
        _ name: StaticString,
        _ description: StaticString,
        _ schema: @autoclosure () -> JSONSchema,
        write: (Subject, inout ReportWriter) -> Void
    ) {
        writer.json.key(plain: name)
        write(subject, &writer)
    }

    mutating func group<Object: ReportObject>(
        _ name: StaticString,
        _ description: StaticString,
        _ nested: Object.Type
    ) where Object.Subject == Subject {
        writer.json.key(plain: name)
        writer.json.beginObject()
        nested.declare(in: &self)
        writer.json.endObject()
    }
}

extension ReportWriter {
    /// Writes an object made from `subject`, without the secrets of `redactor`.
    @inline(__always)
    mutating func object<Object: ReportObject>(
        _ object: Object.Type,
        _ subject: consuming Object.Subject,
        hiding redactor: Redactor?
    ) {
        self.redactor = redactor
        self.object(object, subject)
    }

    /// Writes objects made from `subjects`.
    @inline(__always)
    mutating func array<Object: ReportObject>(_ object: Object.Type, _ subjects: [Object.Subject]) {
        json.beginArray()
        // By index, so that each part is copied once only.
        for index in subjects.indices { self.object(object, subjects[index]) }
        json.endArray()
    }

    /// Writes an object made from `subject`.
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
}
