internal import SystemKit

/// An unsigned decimal number at the front of a text, its digits not yet made a number.
struct DecimalPrefix {
    let whole: Substring.UTF8View
    /// The digits after the point; empty without a point.
    let fraction: Substring.UTF8View

    /// Takes the number off the front of `text`; nil, and nothing taken, when there is none.
    init?(_ text: inout Substring.UTF8View) {
        whole = text.prefix(while: \.isDigit)
        guard !whole.isEmpty else { return nil }
        let behind = text.dropFirst(whole.count)
        guard behind.first == UInt8(ascii: ".") else {
            fraction = text.prefix(0)
            text = behind
            return
        }
        fraction = behind.dropFirst().prefix(while: \.isDigit)
        guard !fraction.isEmpty else { return nil }
        text = behind.dropFirst(1 + fraction.count)
    }

    /// Whether a whole text is such a number.
    static func isNumber(_ text: String) -> Bool {
        var rest = text[...].utf8
        return DecimalPrefix(&rest) != nil && rest.isEmpty
    }

    /// The number times `unit`, its fraction cut off; nil past the largest `Int64`.
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
        let (sum, carry) = product.addingReportingOverflow(scaledFraction(by: unit))
        return carry ? nil : sum
    }

    /// The fraction times `unit`; its first 18 digits count, which 64 bits can hold.
    private func scaledFraction(by unit: Int64) -> Int64 {
        var numerator: UInt64 = 0
        var denominator: UInt64 = 1
        for digit in fraction.prefix(18) {
            numerator = numerator * 10 + UInt64(digit - 48)
            denominator *= 10
        }
        let product = numerator.multipliedFullWidth(by: unit.magnitude)
        return Int64(denominator.dividingFullWidth(product).quotient)
    }
}
