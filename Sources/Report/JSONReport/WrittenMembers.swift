internal import JSON

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
