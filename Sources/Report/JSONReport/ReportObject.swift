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
        _ object: Object.Type
    ) where Object.Subject == Subject {
        member(name, description, .object(object.schema)) { _, _ in }
    }
}
