/// Receives the declarations of an object's members, to write its text or its schema.
///
/// A generic parameter instead of an existential, so that the compiler produces straight-line code.
protocol ReportMembers<Subject>: ~Copyable {
    associatedtype Subject

    /// A member whose single value `write` writes; its name needs no escaping.
    mutating func member(
        _ name: StaticString,
        _ description: StaticString,
        _ schema: @autoclosure () -> JSONSchema,
        write: (Subject, inout ReportWriter) -> Void
    )

    /// A nested object made from the same subject.
    mutating func group<Object: ReportObject>(
        _ name: StaticString,
        _ description: StaticString,
        _ object: Object.Type
    ) where Object.Subject == Subject
}
