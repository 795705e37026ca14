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
