internal import JSON
internal import TransferModel

// One way to declare a member for each kind of value that the report has.
extension ReportField {
    static func bool(
        _ name: String,
        _ description: String,
        get: @escaping Getter<Bool>
    ) -> Self {
        Self(name, description, .boolean, .bool(get))
    }

    static func integer(
        _ name: String,
        _ description: String,
        _ schema: JSONSchema = .count,
        get: @escaping Getter<Int64>
    ) -> Self {
        Self(name, description, schema, .integer(get))
    }

    static func optionalInteger(
        _ name: String,
        _ description: String,
        _ schema: JSONSchema = .count,
        get: @escaping Getter<Int64?>
    ) -> Self {
        Self(name, description, .nullable(schema), .optionalInteger(get))
    }

    /// Text of our own or of the job file, written whole.
    static func string(
        _ name: String,
        _ description: String,
        _ schema: JSONSchema = .string,
        get: @escaping Getter<String>
    ) -> Self {
        Self(name, description, schema, .string(get))
    }

    static func optionalString(
        _ name: String,
        _ description: String,
        _ schema: JSONSchema = .string,
        get: @escaping Getter<String?>
    ) -> Self {
        Self(name, description, .nullable(schema), .optionalString(get))
    }

    /// Text that a peer may have had a hand in: limited in length, without user information of URLs.
    static func foreignText(
        _ name: String,
        _ description: String,
        get: @escaping Getter<String>
    ) -> Self {
        Self(name, description, .string, .foreignText(get))
    }

    static func optionalForeignText(
        _ name: String,
        _ description: String,
        get: @escaping Getter<String?>
    ) -> Self {
        Self(name, description, .nullable(.string), .optionalForeignText(get))
    }

    /// One of an enumeration's cases by its raw value.
    static func name<Name: RawRepresentable & CaseIterable & SendableMetatype>(
        _ name: String,
        _ description: String,
        get: @escaping Getter<Name>
    ) -> Self where Name.RawValue == String {
        let names = Name.allCases.map(\.rawValue)
        return Self(name, description, .oneOf(names), .string { get($0).rawValue })
    }

    static func optionalName<Name: RawRepresentable & CaseIterable & SendableMetatype>(
        _ name: String,
        _ description: String,
        get: @escaping Getter<Name?>
    ) -> Self where Name.RawValue == String {
        let names = Name.allCases.map(\.rawValue)
        let value = Value.optionalString { get($0)?.rawValue }
        return Self(name, description, .nullable(.oneOf(names)), value)
    }

    /// A value that is the same for every subject, of those that the schema allows.
    static func constant(
        _ name: String,
        _ description: String,
        _ value: String,
        of allowed: [String]
    ) -> Self {
        Self(name, description, .oneOf(allowed), .constant(value))
    }

    static func date(
        _ name: String,
        _ description: String,
        get: @escaping Getter<Timestamp>
    ) -> Self {
        Self(name, description, .date, .date(get))
    }

    static func optionalDate(
        _ name: String,
        _ description: String,
        get: @escaping Getter<Timestamp?>
    ) -> Self {
        Self(name, description, .nullable(.date), .optionalDate(get))
    }

    static func object<Part>(
        _ name: String,
        _ description: String,
        _ object: ReportObject<Part>,
        get: @escaping Getter<Part>
    ) -> Self {
        let value = Value.composite { object.write(get($0), to: &$1) }
        return Self(name, description, .object(object.schema), value)
    }

    /// An object of its own that is made from the same subject.
    static func group(
        _ name: String,
        _ description: String,
        _ object: ReportObject<Subject>
    ) -> Self {
        Self(
            name,
            description,
            .object(object.schema),
            .composite { object.write($0, to: &$1) }
        )
    }

    static func optionalObject<Part>(
        _ name: String,
        _ description: String,
        _ object: ReportObject<Part>,
        get: @escaping Getter<Part?>
    ) -> Self {
        let value = Value.composite { subject, writer in
            writer.optional(get(subject)) { object.write($0, to: &$1) }
        }
        return Self(name, description, .nullable(.object(object.schema)), value)
    }

    static func array<Part>(
        _ name: String,
        _ description: String,
        _ object: ReportObject<Part>,
        get: @escaping Getter<[Part]>
    ) -> Self {
        let value = Value.composite { subject, writer in
            writer.json.beginArray()
            let parts = get(subject)
            for index in parts.indices { object.write(parts[index], to: &writer) }
            writer.json.endArray()
        }
        return Self(name, description, .array(.object(object.schema)), value)
    }

    /// What no part of the runner measures: always null, of `schema` once something does.
    static func unmeasured(
        _ name: String,
        _ description: String,
        _ schema: JSONSchema
    ) -> Self {
        Self(name, description, .nullable(schema), .null)
    }
}
