extension FixedWidthInteger {
    /// The sum, or the end of the range that it passes.
    ///
    /// For numbers of a file, a peer or a clock, whose sums may have any value.
    @inlinable package func addingSaturated(_ other: Self) -> Self {
        let (sum, isTooFar) = addingReportingOverflow(other)
        return isTooFar ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the end of the range that it passes.
    @inlinable package func subtractingSaturated(_ other: Self) -> Self {
        let (difference, isTooFar) = subtractingReportingOverflow(other)
        return isTooFar ? (other < 0 ? .max : .min) : difference
    }

    /// The product, or the end of the range that it passes.
    @inlinable package func multipliedSaturated(by other: Self) -> Self {
        let (product, isTooFar) = multipliedReportingOverflow(by: other)
        return isTooFar ? ((self < 0) == (other < 0) ? .max : .min) : product
    }

    /// Adds a number, but not beyond the ends of the range.
    @inlinable package mutating func addSaturated(_ other: Self) { self = addingSaturated(other) }
}

extension Range<Int> {
    /// The first number that meets a condition, which all numbers behind it must meet, too; the
    /// upper bound if none does.
    @inlinable package func partitioningIndex(where isBehind: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension BinaryInteger {
    /// The digits of a nonnegative number, with leading zeros up to `width`.
    package func padded(to width: Int, radix: Int = 10, uppercase: Bool = false) -> String {
        let digits = String(self, radix: radix, uppercase: uppercase)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
