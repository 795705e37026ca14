internal import SystemKit

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
