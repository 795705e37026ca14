internal import SystemKit

/// Identifies a value of one `Document`; meaningless in another document.
package struct NodeID: Sendable, Hashable {
    let index: Int
}

/// The kind of a value, after following aliases.
package enum NodeKind: Sendable, Hashable {
    case scalar
    case sequence
    case mapping
}

/// One value of the tree, in 24 bytes; values are in document order, a collection before its
/// content.
struct Node {
    enum Kind: UInt8 {
        case scalar
        case sequence
        case mapping
        case alias

        /// The name in messages.
        var word: String {
            switch self {
            case .scalar: "scalar"
            case .sequence: "sequence"
            case .mapping: "mapping"
            case .alias: "alias"
            }
        }
    }

    struct Flags: OptionSet {
        let rawValue: UInt8

        /// A plain scalar: only these can be something else than strings.
        static let isPlain = Flags(rawValue: 1)
        /// The bytes are in the document's arena, not in the source.
        static let isInArena = Flags(rawValue: 2)
        /// The bytes contain `${`.
        static let hasInterpolation = Flags(rawValue: 4)
        /// A key that merges (`<<`), or a mapping with such a key.
        static let hasMerge = Flags(rawValue: 8)
        /// A collection in brackets or braces.
        static let isFlow = Flags(rawValue: 16)
    }

    /// 1-based.
    var line: UInt32
    /// 1-based, in Unicode scalars.
    var column: UInt32
    /// A scalar's offset of bytes, an alias's target, or a collection's extent.
    var content: UInt32 = 0
    /// The number of a scalar's bytes, or of a collection's children including keys.
    var length: UInt32 = 0
    /// The index after a collection's last descendant, or a scalar's or alias's extent.
    var reach: UInt32 = 0
    var kind: Kind
    var flags: Flags = []
    var tag: CoreTag = .none

    /// The index of the value after this one, which is at `index`.
    func next(after index: Int) -> Int {
        switch kind {
        case .scalar, .alias: index + 1
        case .sequence, .mapping: Int(reach)
        }
    }

    /// The extent of the value's text.
    var extent: UInt32 {
        switch kind {
        case .scalar, .alias: reach
        case .sequence, .mapping: content
        }
    }
}

/// The type of a scalar by the core schema of YAML 1.2 (§10.3), with the job file's differences.
///
/// Only plain scalars can be anything but strings. `012` is a string, so that no reader takes it
/// for octal.
package enum Scalar: Sendable, Hashable {
    case null
    case bool(Bool)
    /// Decimal, `0x` or `0o`; nil beyond 64 bits, where only the text remains.
    case integer(Int64?)
    /// Also `.inf`, `-.inf` and `.nan`; a decimal too large is infinite.
    case float(Double)
    case string
    /// Only with the tag `!!timestamp`; the text is not checked here.
    case timestamp
    /// Only with the tag `!!binary`: bytes in Base64, which are not checked here.
    case binary
}

/// The tags of the job file language.
enum CoreTag: UInt8 {
    case none
    /// `!`: the text does not decide the type, so a scalar is a string.
    case nonSpecific
    case string
    case integer
    case float
    case boolean
    case null
    case timestamp
    case binary
    case sequence
    case mapping
    /// Any other tag, which is reported.
    case unsupported

    /// Reads a tag with its resolved handle on a value of `kind`.
    init(_ name: String, on kind: Node.Kind) {
        let tag: CoreTag =
            switch name {
            case "!": .nonSpecific
            case "tag:yaml.org,2002:str": .string
            case "tag:yaml.org,2002:int": .integer
            case "tag:yaml.org,2002:float": .float
            case "tag:yaml.org,2002:bool": .boolean
            case "tag:yaml.org,2002:null": .null
            case "tag:yaml.org,2002:timestamp": .timestamp
            case "tag:yaml.org,2002:binary": .binary
            case "tag:yaml.org,2002:seq": .sequence
            case "tag:yaml.org,2002:map": .mapping
            default: .unsupported
            }
        self = tag.fits(kind) ? tag : .unsupported
    }

    /// Whether the tag determines the form of a scalar's text.
    var isOfValues: Bool {
        switch self {
        case .integer, .float, .boolean, .null: true
        default: false
        }
    }

    /// A tag in its usual notation.
    static func shortName(_ name: String) -> String {
        name.withoutBytePrefix("tag:yaml.org,2002:").map { "!!" + $0 } ?? name
    }

    /// The tags for values of a kind, for a hint.
    static func known(on kind: Node.Kind) -> String {
        switch kind {
        case .sequence: "`!!seq`"
        case .mapping: "`!!map`"
        case .scalar, .alias:
            "`!!str`, `!!int`, `!!float`, `!!bool`, `!!null`, `!!timestamp` and `!!binary`"
        }
    }

    private func fits(_ kind: Node.Kind) -> Bool {
        switch self {
        case .none, .nonSpecific: true
        case .sequence: kind == .sequence
        case .mapping: kind == .mapping
        default: kind == .scalar
        }
    }
}
