/// The tags that the language knows, as they stand on a node.
enum CoreTag: UInt8 {
    case none
    /// `!`: not resolved by its looks, so a scalar is a string.
    case nonSpecific
    case string
    case integer
    case float
    case boolean
    case null
    case timestamp
    case sequence
    case mapping
    /// Any other; a diagnostic was made.
    case unsupported

    /// Reads a tag with its handle resolved, as it stands on a value of `kind`.
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
            case "tag:yaml.org,2002:seq": .sequence
            case "tag:yaml.org,2002:map": .mapping
            default: .unsupported
            }
        self = tag.fits(kind) ? tag : .unsupported
    }

    /// Whether the tag says what a scalar's text must be.
    var isOfValues: Bool {
        switch self {
        case .integer, .float, .boolean, .null: true
        default: false
        }
    }

    /// A tag as it is usually written.
    static func shortName(_ name: String) -> String {
        let prefix = "tag:yaml.org,2002:"
        return name.hasPrefix(prefix) ? "!!" + name.dropFirst(prefix.count) : name
    }

    /// The tags that may stand on a value, for a hint.
    static func known(on kind: Node.Kind) -> String {
        switch kind {
        case .sequence: "`!!seq`"
        case .mapping: "`!!map`"
        case .scalar, .alias: "`!!str`, `!!int`, `!!float`, `!!bool`, `!!null` and `!!timestamp`"
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
