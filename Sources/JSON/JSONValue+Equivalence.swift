internal import SystemKit

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
