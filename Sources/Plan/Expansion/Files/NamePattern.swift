internal import Diagnostics
internal import SystemKit

/// The part of a `glob` between two slashes, compared with the name of a file or folder.
struct NamePattern: Sendable, Hashable {
    private enum Piece: Sendable, Hashable {
        case scalar(Unicode.Scalar)
        /// `?`
        case one
        /// `*`
        case any
        /// `[…]`
        case set([ClosedRange<Unicode.Scalar>], isNegated: Bool)

        func matches(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .scalar(let own): own == scalar
            case .one: true
            case .any: false
            case .set(let ranges, let isNegated):
                ranges.contains { $0.contains(scalar) } != isNegated
            }
        }
    }

    private let pieces: [Piece]
    /// The text, where it has no wildcard.
    let literal: String?

    /// Reads the text between two slashes.
    init(_ text: String) throws(ValueFault) {
        var pieces: [Piece] = []
        var rest = Substring(text).unicodeScalars
        while let scalar = rest.popFirst() {
            switch scalar {
            case "?": pieces.append(.one)
            case "*":
                if pieces.last == .any {
                    throw ValueFault(
                        .badValue,
                        "`**` stands beside other characters in `\(text.excerpt)`",
                        help: "`**` is any number of folders, between slashes: `\(text)` may mean "
                            + "`**/\(text.replacingBytes("**", with: "*"))`"
                    )
                }
                pieces.append(.any)
            case "[": pieces.append(try Self.set(&rest, of: text))
            case "{", "}", "\\":
                throw ValueFault(
                    .badValue,
                    "`\(scalar)` has no meaning in a pattern",
                    help: scalar == "\\"
                        ? "write `[*]` for a star itself, and `[\\]` for a backslash"
                        : "write a list of patterns, or `[\(scalar)]` for the brace itself"
                )
            default: pieces.append(.scalar(scalar))
            }
        }
        self.pieces = pieces
        let isLiteral = pieces.allSatisfy { if case .scalar = $0 { true } else { false } }
        literal = isLiteral ? text : nil
    }

    /// Reads a set after its opening bracket: `]` as the first character is one of the set.
    private static func set(
        _ rest: inout Substring.UnicodeScalarView,
        of text: String
    ) throws(ValueFault) -> Piece {
        let isNegated = rest.first == "!" || rest.first == "^"
        if isNegated { rest.removeFirst() }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        while let first = rest.popFirst() {
            if first == "]", !ranges.isEmpty { return .set(ranges, isNegated: isNegated) }
            let afterDash = rest.dropFirst().first
            guard rest.first == "-", let last = afterDash, last != "]" else {
                ranges.append(first...first)
                continue
            }
            guard first <= last else {
                throw ValueFault(
                    .badValue,
                    "the range `\(first)-\(last)` in `\(text.excerpt)` has no character"
                )
            }
            ranges.append(first...last)
            rest.removeFirst(2)
        }
        throw ValueFault(
            .badValue,
            "the bracket in `\(text.excerpt)` is not closed",
            help: "write `[[]` for a bracket itself"
        )
    }

    /// Whether a name matches; wildcards match no name that begins with a dot, unless
    /// `includesHidden`.
    func matches(_ name: String, includesHidden: Bool) -> Bool {
        if let literal { return name.hasSameBytes(as: literal) }
        if !includesHidden, name.utf8.first == UInt8(ascii: "."), pieces.first != .scalar(".") {
            return false
        }
        let scalars = Array(name.unicodeScalars)
        var (piece, scalar) = (0, 0)
        // The last star, and where its match ends so far: one more scalar on each failure.
        var star: (piece: Int, scalar: Int)?
        while scalar < scalars.count {
            if piece < pieces.count, pieces[piece] == .any {
                star = (piece, scalar)
                piece += 1
            } else if piece < pieces.count, pieces[piece].matches(scalars[scalar]) {
                (piece, scalar) = (piece + 1, scalar + 1)
            } else if let last = star {
                star = (last.piece, last.scalar + 1)
                (piece, scalar) = (last.piece + 1, last.scalar + 1)
            } else {
                return false
            }
        }
        return pieces[piece...].allSatisfy { $0 == .any }
    }
}
