internal import JSON
internal import TransferModel

/// One member of an object in the report: its name, what its value may be, and where the value comes from.
///
/// The schema and the writer both come from this one declaration, so that they cannot differ.
struct ReportField<Subject>: Sendable {
    typealias Getter<Value> = @Sendable (Subject) -> Value

    /// Where a value comes from and how it is written.
    ///
    /// The frequent kinds have a case of their own, which spares a closure around the getter.
    enum Value: Sendable {
        case null
        case constant(String)
        case bool(Getter<Bool>)
        case integer(Getter<Int64>)
        case optionalInteger(Getter<Int64?>)
        case string(Getter<String>)
        case optionalString(Getter<String?>)
        case foreignText(Getter<String>)
        case optionalForeignText(Getter<String?>)
        case date(Getter<Timestamp>)
        case optionalDate(Getter<Timestamp?>)
        /// Writes exactly one value.
        case composite(@Sendable (Subject, inout ReportWriter) -> Void)
    }

    let name: String
    let description: String
    let schema: JSONSchema
    let value: Value

    init(_ name: String, _ description: String, _ schema: JSONSchema, _ value: Value) {
        self.name = name
        self.description = description
        self.schema = schema
        self.value = value
    }
}

/// An object of the report that is made from a value of type `Subject`.
struct ReportObject<Subject>: Sendable {
    let schema: ObjectSchema
    private let keys: JSONKeys
    private let values: [ReportField<Subject>.Value]

    init(_ name: String, _ description: String, _ fields: [ReportField<Subject>]) {
        keys = JSONKeys(fields.map(\.name))
        values = fields.map(\.value)
        schema = ObjectSchema(
            name: name,
            description: description,
            members: fields.map {
                ObjectSchema.Member(
                    name: $0.name,
                    description: $0.description,
                    schema: $0.schema
                )
            }
        )
    }

    func write(_ subject: Subject, to writer: inout ReportWriter) {
        writer.json.beginObject()
        let values = values.span
        for index in values.indices {
            writer.json.key(keys, at: index)
            switch values[index] {
            case .null: writer.json.null()
            case .constant(let value): writer.json.string(value)
            case .bool(let get): writer.json.bool(get(subject))
            case .integer(let get): writer.json.integer(get(subject))
            case .optionalInteger(let get): writer.optional(get(subject)) { $1.json.integer($0) }
            case .string(let get): writer.json.string(get(subject))
            case .optionalString(let get): writer.optional(get(subject)) { $1.json.string($0) }
            case .foreignText(let get): writer.foreignText(get(subject))
            case .optionalForeignText(let get):
                writer.optional(get(subject)) { $1.foreignText($0) }
            case .date(let get): writer.date(get(subject))
            case .optionalDate(let get): writer.optional(get(subject)) { $1.date($0) }
            case .composite(let write): write(subject, &writer)
            }
        }
        writer.json.endObject()
    }
}
