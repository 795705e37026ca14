internal import SystemKit

/// A JSON document in memory (RFC 8259), parsed strictly: a duplicate member name is a fault.
///
/// At most 512 nested collections and a million values, which limits the cost of a peer's document.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// A number as spelled in the document.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// A member of an object.
    package struct Member: Sendable, Hashable {
        /// The name without escapes; unique in its object.
        package var name: String
        /// The value that follows the name.
        package var value: JSONValue

        /// Compares names by bytes, without Unicode's canonical equivalence.
        package static func == (left: Member, right: Member) -> Bool {
            left.name.hasSameBytes(as: right.name) && left.value == right.value
        }
    }

    /// Compares strings by bytes and numbers by spelling.
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.string(let one), .string(let other)): one.hasSameBytes(as: other)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }

    /// The value of the member with a name; nil without one or for another type.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// The element at an index; nil without one or for another type.
    package subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else {
            return nil
        }
        return elements[index]
    }

    /// The members in their order; empty for any other type than an object.
    package var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    /// The elements in their order; empty for any other type than an array.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The text without escapes; nil for any other type than a string.
    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The boolean; nil for any other type.
    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number as an integer; nil if it is not one.
    package var integer: Int64? {
        if case .number(let text) = self { Int64(text) } else { nil }
    }

    /// The nearest `Double`; nil for any other type than a number.
    package var double: Double? {
        if case .number(let text) = self { Double(text) } else { nil }
    }

    /// Whether the value is `null`.
    package var isNull: Bool { self == .null }
}

/// Why a text is not JSON.
package struct JSONSyntaxError: Error, Hashable, CustomStringConvertible {
    /// The fault, in words without a final full stop.
    package var reason: String
    /// The offset in bytes.
    package var offset: Int

    /// The reason with its offset, such as `expected : at byte 12`.
    package var description: String { "\(reason) at byte \(offset)" }
}

extension JSONValue {
    /// Whether both are equal, with members in any order and numbers by value, `1.0` as `1`.
    package func isEquivalent(to other: JSONValue) -> Bool {
        switch (self, other) {
        case (.number(let one), .number(let two)):
            return one == two || DecimalValue(one) == DecimalValue(two)
        case (.array(let one), .array(let two)):
            return one.count == two.count && zip(one, two).allSatisfy { $0.isEquivalent(to: $1) }
        case (.object(let one), .object(let two)):
            guard one.count == two.count else { return false }
            let values = Dictionary(two.lazy.map { (ByteText($0.name), $0.value) }) { first, _ in
                first
            }
            return one.allSatisfy { values[ByteText($0.name)]?.isEquivalent(to: $0.value) == true }
        default:
            return self == other
        }
    }
}

/// The exact value of a JSON number of any size: `±0.digits × 10^exponent`.
private struct DecimalValue: Equatable {
    var isNegative = false
    /// The digits from the first to the last nonzero one.
    var digits: [UInt8] = []
    var exponent = 0
    /// An exponent beyond 64 bits, compared as text.
    var hugeExponent: Substring?

    init(_ text: String) {
        let parts = text.split(maxSplits: 1) { $0 == "e" || $0 == "E" }
        var mantissa = parts.first ?? ""
        isNegative = mantissa.hasBytePrefix("-")
        if isNegative { mantissa = mantissa.dropFirst() }
        let halves = mantissa.utf8.split(separator: UInt8(ascii: "."))
        let all = halves.joined()
        let zeros = all.prefix { $0 == UInt8(ascii: "0") }.count
        digits = Array(all.dropFirst(zeros))
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        guard !digits.isEmpty else {
            // All zeros are equal, whatever their signs and exponents.
            isNegative = false
            return
        }
        exponent = (halves.first?.count ?? 0) - zeros
        guard parts.count == 2 else { return }
        let (sum, overflow) = exponent.addingReportingOverflow(Int(parts[1]) ?? .max)
        if overflow || Int(parts[1]) == nil { hugeExponent = parts[1] } else { exponent = sum }
    }
}
