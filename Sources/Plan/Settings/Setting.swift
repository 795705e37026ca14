internal import JobFile

/// One key of a mapping and its effect on a `Target`.
struct Setting<Target>: Sendable {
    typealias Read = @Sendable (inout Target, inout Reader, Field) -> Void

    let description: KeyDescription
    let read: Read

    init(_ description: KeyDescription, read: @escaping Read) {
        self.description = description
        self.read = read
    }

    /// A key with a value of one type.
    init<Value>(
        _ name: String,
        _ type: ValueType<Value>,
        default: DefaultValue? = nil,
        isRequired: Bool = false,
        onlyWith partner: String? = nil,
        exactlyWhere condition: KeyDescription.Condition? = nil,
        _ summary: String,
        set: @escaping @Sendable (inout Target, Value) -> Void
    ) {
        description = KeyDescription(
            name: name,
            summary: summary,
            default: `default`,
            isRequired: isRequired,
            partner: partner,
            condition: condition,
            shape: type.shape
        )
        read = { target, reader, field in
            if let value = type.read(&reader, field) { set(&target, value) }
        }
    }

    /// A key with a mapping inside, whose keys change a part of the target.
    init<Part>(
        _ name: String,
        _ table: @autoclosure @escaping @Sendable () -> SettingTable<Part>,
        _ summary: String,
        part: @escaping @Sendable (inout Target, (inout Part) -> Void) -> Void
    ) {
        description = KeyDescription(
            name: name,
            summary: summary,
            default: nil,
            isRequired: false,
            shape: .mapping(table().keys)
        )
        read = { target, reader, field in
            part(&target) { reader.apply(table(), to: &$0, in: field) }
        }
    }

    /// The same key for a target of which `Target` is a part.
    func lifted<Whole>(
        to part: @escaping @Sendable (inout Whole, (inout Target) -> Void) -> Void
    ) -> Setting<Whole> {
        Setting<Whole>(description) { whole, reader, field in
            part(&whole) { read(&$0, &reader, field) }
        }
    }
}

/// All keys of one kind of mapping and their effects.
///
/// A class, so that reading a mapping does not copy its table.
final class SettingTable<Target>: Sendable {
    let keys: KeyTable
    /// For a hint; nil where nothing can be guessed.
    let shorthand: Shorthand?
    /// The reader of each key, by its position in `keys`.
    let reads: [Setting<Target>.Read]

    init(
        _ name: String,
        _ settings: [Setting<Target>],
        exactlyOneOf alternatives: [String] = [],
        shortForm: String? = nil,
        shorthand: Shorthand? = nil
    ) {
        self.shorthand = shorthand
        keys = KeyTable(
            name: name,
            keys: settings.map(\.description),
            alternatives: alternatives,
            shortForm: shortForm
        )
        reads = settings.map(\.read)
    }
}
