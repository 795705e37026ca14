/// An object of the report, made from a value of type `Subject`.
///
/// One declaration produces both schema and text, so that they cannot differ.
protocol ReportObject {
    associatedtype Subject
    /// The name among the schema's definitions.
    static var name: String { get }
    static var description: String { get }
    /// Declares the members in order, each exactly once and for every subject.
    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable)
}

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
        _ nested: Object.Type
    ) where Object.Subject == Subject
}

extension ReportObject {
    static var schema: ObjectSchema {
        var members = SchemaMembers<Subject>()
        declare(in: &members)
        return ObjectSchema(name: name, description: description, members: members.members)
    }
}

/// Collects the members of an object for its schema.
private struct SchemaMembers<Subject>: ReportMembers {
    private(set) var members: [ObjectSchema.Member] = []

    mutating func member(
        _ name: StaticString,
        _ description: StaticString,
        _ schema: @autoclosure () -> JSONSchema,
        write: (Subject, inout ReportWriter) -> Void
    ) {
        members.append(
            ObjectSchema.Member(
                name: name.description,
                description: description.description,
                schema: schema()
            )
        )
    }

    mutating func group<Object: ReportObject>(
        _ name: StaticString,
        _ description: StaticString,
        _ nested: Object.Type
    ) where Object.Subject == Subject {
        member(name, description, .object(nested.schema)) { _, _ in }
    }
}
