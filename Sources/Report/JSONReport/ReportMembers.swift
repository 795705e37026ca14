/// Who is told of the members of an object: the writer of its text or that of its schema.
///
/// A generic parameter rather than an existential, so that the writer is compiled to straight-line
/// code.
protocol ReportMembers<Subject>: ~Copyable {
    associatedtype Subject

    /// A member whose value `write` writes, exactly one; its name needs no escaping.
    mutating func member(
        _ name: StaticString,
        _ description: StaticString,
        _ schema: @autoclosure () -> JSONSchema,
        write: (Subject, inout ReportWriter) -> Void
    )

    /// A member that is an object of its own, made from the same subject.
    mutating func group<Object: ReportObject>(
        _ name: StaticString,
        _ description: StaticString,
        _ object: Object.Type
    ) where Object.Subject == Subject
}
