import Testing

@testable import SystemKit

@Suite struct SaturatingArithmeticTests {
    private static let edges = [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max]

    @Test(arguments: edges, edges)
    func `a result beyond 64 bits is the nearest number of 64 bits`(left: Int64, right: Int64) {
        func nearest(_ exact: Int128) -> Int64 { Int64(clamping: exact) }
        #expect(left.addingSaturated(right) == nearest(Int128(left) + Int128(right)))
        #expect(left.subtractingSaturated(right) == nearest(Int128(left) - Int128(right)))
        #expect(left.multipliedSaturated(by: right) == nearest(Int128(left) * Int128(right)))
    }

    @Test(
        arguments: [
            (9_223_372_036, 854_775_807, Int64.max), (9_223_372_037, 0, .max), (.max, 1, .max),
            (-9_300_000_000, 0, .min), (1, 5, 1_000_000_005),
        ] as [(Int64, Int64, Int64)]
    )
    func `a clock beyond 2262 stands at its last nanosecond`(
        seconds: Int64,
        rest: Int64,
        expected: Int64
    ) {
        #expect(Clock.nanoseconds(seconds: seconds, rest) == expected)
    }
}
