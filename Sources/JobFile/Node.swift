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
