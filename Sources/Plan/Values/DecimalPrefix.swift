/// An unsigned decimal number at the front of a text, its digits not yet made a number.
struct DecimalPrefix {
    let whole: Substring.UTF8View
    /// The digits behind the point; empty without one.
    let fraction: Substring.UTF8View

    /// Takes the number off the front of `text`; nil, and nothing taken, when there is none.
    init?(_ text: inout Substring.UTF8View) {
        whole = text.prefix(while: Self.isDigit)
        guard !whole.isEmpty else { return nil }
        let behind = text.dropFirst(whole.count)
        guard behind.first == UInt8(ascii: ".") else {
            fraction = text.prefix(0)
            text = behind
            return
        }
        fraction = behind.dropFirst().prefix(while: Self.isDigit)
        guard !fraction.isEmpty else { return nil }
        text = behind.dropFirst(1 + fraction.count)
    }

    /// Whether a whole text is such a number.
    static func isNumber(_ text: String) -> Bool {
        var rest = text[...].utf8
        return DecimalPrefix(&rest) != nil && rest.isEmpty
    }

    /// The number times `unit`, what is below one cut off; nil past the largest `Int64`.
    func scaled(by unit: Int64) -> Int64? {
        var total: Int64 = 0
        for digit in whole {
            let (tenfold, overflow) = total.multipliedReportingOverflow(by: 10)
            let (next, carry) = tenfold.addingReportingOverflow(Int64(digit - 48))
            guard !overflow, !carry else { return nil }
            total = next
        }
        let (product, overflow) = total.multipliedReportingOverflow(by: unit)
        guard !overflow else { return nil }
        total = product
        var place = unit
        for digit in fraction {
            // 9 x place / 10 is below the unit: no overflow within one unit.
            total = total.addingReportingOverflow(Int64(digit - 48) * (place / 10)).partialValue
            guard total >= product else { return nil }
            place /= 10
            if place == 0 { break }
        }
        return total
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
