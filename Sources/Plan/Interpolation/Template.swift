/// A scalar's text, taken apart at its expressions.
struct Template: Hashable {
    enum Piece: Hashable {
        /// Text as it is meant: `$${` has become `${`.
        case literal(String)
        case expression(Expression)
    }

    /// What is wrong with one expression, and where, in UTF-8 offsets.
    struct Fault: Hashable {
        var fault: ValueFault
        var range: Range<Int>
    }

    private(set) var pieces: [Piece] = []
    private(set) var faults: [Fault] = []

    init(_ text: String) {
        let bytes = text.utf8.span
        var literal = ""
        var start = 0
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "$") else {
                index += 1
                continue
            }
            if Self.isOpening(bytes, at: index + 1) {
                // `$${`: the first dollar goes, the rest is text.
                literal += text.slice(start..<index)
                start = index + 1
                index += 3
            } else if Self.isOpening(bytes, at: index) {
                literal += text.slice(start..<index)
                if !literal.isEmpty { pieces.append(.literal(literal)) }
                literal = ""
                index = addExpression(of: text, bytes, at: index)
                start = index
            } else {
                index += 1
            }
        }
        literal += text.slice(start..<bytes.count)
        if !literal.isEmpty { pieces.append(.literal(literal)) }
    }

    /// Reads the expression that opens at `start`; returns where the text goes on.
    private mutating func addExpression(of text: String, _ bytes: Span<UInt8>, at start: Int) -> Int
    {
        var end = start + 2
        while end < bytes.count, bytes[end] != UInt8(ascii: "}") { end += 1 }
        guard end < bytes.count else {
            let fault = ValueFault(
                .badExpression,
                "`${` is not closed by `}`",
                help: "write `$${` where `${` itself is meant"
            )
            faults.append(Fault(fault: fault, range: start..<bytes.count))
            return bytes.count
        }
        let range = start..<(end + 1)
        do {
            let expression = try Expression(text.slice(start + 2..<end), at: range)
            pieces.append(.expression(expression))
        } catch {
            faults.append(Fault(fault: error, range: range))
        }
        return end + 1
    }

    private static func isOpening(_ bytes: Span<UInt8>, at index: Int) -> Bool {
        index + 1 < bytes.count && bytes[index] == UInt8(ascii: "$")
            && bytes[index + 1] == UInt8(ascii: "{")
    }
}

extension String {
    /// The part between two offsets in UTF-8, which must lie between characters.
    func slice(_ offsets: Range<Int>) -> Substring {
        let start = utf8.index(utf8.startIndex, offsetBy: offsets.lowerBound)
        return self[start..<utf8.index(start, offsetBy: offsets.count)]
    }
}
