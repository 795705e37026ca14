internal import JobFile
internal import SystemKit

/// The value of a key that is not written.
struct DefaultValue: Sendable, ExpressibleByStringLiteral {
    /// The value in the notation of the job file, or words for it.
    let text: String
    /// Whether a job file may have the text as the key's value.
    let isValue: Bool

    private init(_ text: String, isValue: Bool) {
        self.text = text
        self.isValue = isValue
    }

    /// A value in the notation of the job file.
    init(stringLiteral value: String) { self.init(value, isValue: true) }

    /// The same, for a text that has a name.
    static func value(_ text: String) -> DefaultValue { DefaultValue(text, isValue: true) }

    /// A description of a default that depends on something else, or has no notation.
    static func words(_ text: String) -> DefaultValue { DefaultValue(text, isValue: false) }
}

/// A key that the language knows in some mapping.
struct KeyDescription: Sendable {
    let name: String
    /// One sentence for the schema.
    let summary: String
    /// Nil without a default.
    let `default`: DefaultValue?
    let isRequired: Bool
    /// Another key of the mapping without which it has no meaning.
    let partner: String?
    /// The key is required if another key has that value, and forbidden otherwise.
    let condition: Condition?
    private let makeShape: @Sendable () -> Shape

    /// The value of another key of the mapping, as it is written.
    struct Condition: Sendable {
        let key: String
        let value: String
    }

    /// The shape is made on first use, because it may contain all tables below the key.
    init(
        name: String,
        summary: String,
        default: DefaultValue?,
        isRequired: Bool,
        partner: String? = nil,
        condition: Condition? = nil,
        shape: @autoclosure @escaping @Sendable () -> Shape
    ) {
        self.name = name
        self.summary = summary
        self.default = `default`
        self.isRequired = isRequired
        self.partner = partner
        self.condition = condition
        makeShape = shape
    }

    /// The shape of the value.
    var shape: Shape { makeShape() }
}

/// The keys of one kind of mapping, for the decoder, the schema and the listing.
///
/// A class, so that reading a mapping does not copy its table.
final class KeyTable: Sendable {
    /// Names the mapping in the schema's definitions.
    let name: String
    /// The key that a single value stands for in place of the mapping; nil without a short form.
    let shortForm: String?
    /// At most 64, in the order of the documentation.
    let keys: [KeyDescription]
    /// The names alone, for the hot path.
    let names: [String]
    /// Bit n is set when key n is required.
    let required: UInt64
    /// The bits of keys of which exactly one must be there; none when there is no such choice.
    let alternatives: UInt64
    /// The positions of keys that need another key, and of that key.
    let partners: [(key: Int, partner: Int)]
    /// Open addressing: position + 1 of a key at the slot of its hash or after it; 0 is free.
    private let slots: [UInt8]

    private static let slotCount = 128

    init(
        name: String,
        keys: [KeyDescription],
        alternatives: [String] = [],
        shortForm: String? = nil
    ) {
        precondition(keys.count <= 64, "a mapping has more keys than a mask has bits")
        self.name = name
        self.shortForm = shortForm
        self.keys = keys
        names = keys.map(\.name)
        var required: UInt64 = 0
        var alternative: UInt64 = 0
        var slots = [UInt8](repeating: 0, count: Self.slotCount)
        for (position, key) in keys.enumerated() {
            if key.isRequired { required |= 1 << UInt64(position) }
            if alternatives.contains(key.name) { alternative |= 1 << UInt64(position) }
            var slot = Self.slot(of: key.name.utf8.span)
            while slots[slot] != 0 { slot = (slot + 1) % Self.slotCount }
            slots[slot] = UInt8(position + 1)
        }
        self.required = required
        self.alternatives = alternative
        self.slots = slots
        partners = keys.enumerated().compactMap { position, key in
            key.partner.flatMap { name in keys.firstIndex { $0.name == name } }
                .map { (position, $0) }
        }
    }

    /// The position of the key that a scalar names.
    func position(of key: NodeID, in document: Document) -> Int? {
        document.withBytes(of: key) { bytes in
            var slot = Self.slot(of: bytes)
            while slots[slot] != 0 {
                let position = Int(slots[slot]) - 1
                if bytes.equals(names[position].utf8.span) { return position }
                slot = (slot + 1) % Self.slotCount
            }
            return nil
        }
    }

    /// The names of the keys of which exactly one must be there.
    var alternativeNames: [String] {
        keys.indices.filter { alternatives >> UInt64($0) & 1 == 1 }.map { names[$0] }
    }

    /// From the length, the first, the middle and the last byte: enough to keep our own keys apart.
    private static func slot(of bytes: Span<UInt8>) -> Int {
        guard let last = bytes.indices.last else { return 0 }
        let mixed = Int(bytes[0]) &* 7 &+ Int(bytes[last / 2]) &* 31 &+ Int(bytes[last]) &* 3
        return (mixed &+ last &* 13) % slotCount
    }
}
