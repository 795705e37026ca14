/// Some of the alternatives of a `when`, numbered from 0.
package struct AlternativeSet: OptionSet, Sendable, Hashable {
    /// The most alternatives of one `when`.
    package static let capacity = UInt32.bitWidth

    /// A bit for each alternative.
    package let rawValue: UInt32

    /// The alternatives of these bits.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The alternative with a number below `capacity`.
    package init(_ number: Int) { self.init(rawValue: 1 << UInt32(number)) }

    /// Every alternative: a task without `when` has one, which always holds.
    package static let all = AlternativeSet(rawValue: .max)

    /// The first `count` alternatives; `count` is from 1 to `capacity`.
    package static func first(_ count: Int) -> AlternativeSet {
        AlternativeSet(rawValue: .max >> UInt32(capacity - count))
    }
}
