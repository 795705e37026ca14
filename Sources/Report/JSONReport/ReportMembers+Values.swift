internal import JSON
internal import TransferModel

// Declares a member for each kind of value in the report.
extension ReportMembers where Self: ~Copyable {
    /// A member whose value `write` writes; null without one.
    @inline(__always)
    private mutating func optional<Value>(
        _ name: StaticString,
        _ description: StaticString,
        _ schema: @autoclosure () -> JSONSchema,
        _ get: (Subject) -> Value?,
        write: (Value, inout ReportWriter) -> Void
    ) {
        member(name, description, .nullable(schema())) { $1.optional(get($0), write: write) }
    }

    @inline(__always)
    mutating func bool(_ name: StaticString, _ description: StaticString, get: (Subject) -> Bool) {
        member(name, description, .boolean) { $1.json.bool(get($0)) }
    }

    @inline(__always)
    mutating func optionalBool(
        _ name: StaticString,
        _ description: StaticString,
        get: (Subject) -> Bool?
    ) {
        optional(name, description, .boolean, get) { $1.json.bool($0) }
    }

    @inline(__always)
    mutating func integer(
        _ name: StaticString,
        _ description: StaticString,
        _ schema: @autoclosure () -> JSONSchema = .count,
        get: (Subject) -> Int64
    ) {
        member(name, description, schema()) { $1.json.integer(get($0)) }
    }

    @inline(__always)
    mutating func optionalInteger(
        _ name: StaticString,
        _ description: StaticString,
        _ schema: @autoclosure () -> JSONSchema = .count,
        get: (Subject) -> Int64?
    ) {
        optional(name, description, schema(), get) { $1.json.integer($0) }
    }

    /// A number from 0 to 1.
    @inline(__always)
    mutating func number(
        _ name: StaticString,
        _ description: StaticString,
        get: (Subject) -> Double
    ) {
        member(name, description, .fraction) { $1.json.number(get($0)) }
    }

    @inline(__always)
    mutating func optionalNumber(
        _ name: StaticString,
        _ description: StaticString,
        get: (Subject) -> Double?
    ) {
        optional(name, description, .fraction, get) { $1.json.number($0) }
    }

    /// The runner's or the job file's text, complete except for secrets.
    @inline(__always)
    mutating func string(
        _ name: StaticString,
        _ description: StaticString,
        get: (Subject) -> String
    ) {
        member(name, description, .string) { $1.text(get($0)) }
    }

    @inline(__always)
    mutating func optionalString(
        _ name: StaticString,
        _ description: StaticString,
        get: (Subject) -> String?
    ) {
        optional(name, description, .string, get) { $1.text($0) }
    }

    /// Text with a fixed form that the runner creates; it is not searched for secrets.
    @inline(__always)
    mutating func optionalOwnText(
        _ name: StaticString,
        _ description: StaticString,
        _ schema: @autoclosure () -> JSONSchema,
        get: (Subject) -> String?
    ) {
        optional(name, description, schema(), get) { $1.json.string($0) }
    }

    /// Text that a peer may have influenced: limited in length, without user information in URLs.
    @inline(__always)
    mutating func foreignText(
        _ name: StaticString,
        _ description: StaticString,
        get: (Subject) -> String
    ) {
        member(name, description, .string) { $1.foreignText(get($0)) }
    }

    @inline(__always)
    mutating func optionalForeignText(
        _ name: StaticString,
        _ description: StaticString,
        get: (Subject) -> String?
    ) {
        optional(name, description, .string, get) { $1.foreignText($0) }
    }

    /// A case of an enumeration, by its raw value.
    @inline(__always)
    mutating func choice<Name: RawRepresentable & CaseIterable>(
        _ name: StaticString,
        _ description: StaticString,
        get: (Subject) -> Name
    ) where Name.RawValue == String {
        member(name, description, .oneOf(Name.allCases.map(\.rawValue))) {
            $1.json.plainString(get($0).rawValue.utf8.span)
        }
    }

    @inline(__always)
    mutating func optionalChoice<Name: RawRepresentable & CaseIterable>(
        _ name: StaticString,
        _ description: StaticString,
        get: (Subject) -> Name?
    ) where Name.RawValue == String {
        optional(name, description, .oneOf(Name.allCases.map(\.rawValue)), get) {
            $1.json.plainString($0.rawValue.utf8.span)
        }
    }

    /// A value that is the same for every subject, out of the schema's allowed values.
    @inline(__always)
    mutating func constant(
        _ name: StaticString,
        _ description: StaticString,
        _ value: StaticString,
        of allowed: @autoclosure () -> [String]
    ) {
        member(name, description, .oneOf(allowed())) { $1.json.string(plain: value) }
    }

    @inline(__always)
    mutating func date(
        _ name: StaticString,
        _ description: StaticString,
        get: (Subject) -> Timestamp
    ) {
        member(name, description, .date) { $1.date(get($0)) }
    }

    @inline(__always)
    mutating func optionalDate(
        _ name: StaticString,
        _ description: StaticString,
        get: (Subject) -> Timestamp?
    ) {
        optional(name, description, .date, get) { $1.date($0) }
    }

    @inline(__always)
    mutating func object<Object: ReportObject>(
        _ name: StaticString,
        _ description: StaticString,
        _ object: Object.Type,
        get: (Subject) -> Object.Subject
    ) {
        member(name, description, .object(object.schema)) { $1.object(object, get($0)) }
    }

    @inline(__always)
    mutating func optionalObject<Object: ReportObject>(
        _ name: StaticString,
        _ description: StaticString,
        _ object: Object.Type,
        get: (Subject) -> Object.Subject?
    ) {
        optional(name, description, .object(object.schema), get) { $1.object(object, $0) }
    }

    @inline(__always)
    mutating func array<Object: ReportObject>(
        _ name: StaticString,
        _ description: StaticString,
        _ object: Object.Type,
        get: (Subject) -> [Object.Subject]
    ) {
        member(name, description, .array(.object(object.schema))) { $1.array(object, get($0)) }
    }

    @inline(__always)
    mutating func optionalResponse(
        _ name: StaticString,
        _ description: StaticString,
        get: (Subject) -> ResponseHead?
    ) {
        optional(name, description, .object(ResponseHead.Report.schema), get) { $1.response($0) }
    }
}
