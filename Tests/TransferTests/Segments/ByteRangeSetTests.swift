import Testing

@testable import Transfer

@Suite struct ByteRangeSetTests {
    @Test func `ranges that overlap or touch become one`() {
        #expect(ByteRangeSet([0..<5, 5..<10]).ranges == [0..<10])
        #expect(ByteRangeSet([8..<10, 0..<2, 1..<9]).ranges == [0..<10])
        #expect(ByteRangeSet([0..<2, 4..<6, 8..<9, 3..<3]).ranges == [0..<2, 4..<6, 8..<9])
        #expect(ByteRangeSet([0..<2, 4..<6, 8..<9, 2..<8]).ranges == [0..<9])
        #expect(ByteRangeSet([4..<6, 0..<2]).count == 4)
    }

    @Test func `the missing bytes are those between the ranges, within the whole`() {
        let set = ByteRangeSet([2..<4, 6..<8])
        #expect(set.missing(in: 0..<10) == [0..<2, 4..<6, 8..<10])
        #expect(set.missing(in: 3..<7) == [4..<6])
        #expect(set.missing(in: 2..<4).isEmpty)
        #expect(set.missing(in: 4..<6) == [4..<6])
        #expect(ByteRangeSet().missing(in: 0..<3) == [0..<3])
    }

    @Test(arguments: 0..<50)
    func `a set agrees with a list of all its bytes`(_ seed: Int) {
        var set = ByteRangeSet()
        var bytes = [Bool](repeating: false, count: 100)
        for step in 1...12 {
            let start = (seed * 31 + step * step * 17) % 90
            let end = start + (seed + step * 7) % 11
            set.insert(Int64(start)..<Int64(end))
            for byte in start..<end { bytes[byte] = true }
        }
        for byte in bytes.indices {
            let isMissing = !set.missing(in: Int64(byte)..<Int64(byte + 1)).isEmpty
            #expect(isMissing == !bytes[byte])
        }
        #expect(set.count == Int64(bytes.count { $0 }))
        for (left, right) in zip(set.ranges, set.ranges.dropFirst()) {
            #expect(left.upperBound < right.lowerBound)
        }
    }
}
