import Testing

@testable import Journal

@Suite struct LittleEndianTests {
    @Test func `a number keeps its written value`() {
        for number in [Int64.min, -1, 0, 1, 1_763_712_000_000_000, .max] {
            var bytes = number.littleEndianBytes[...] + [7]
            #expect(Int64(takenFrom: &bytes) == number)
            #expect(bytes == [7])
        }
        #expect(UInt32(0x0102_0304).littleEndianBytes == [4, 3, 2, 1])
    }

    @Test func `too few bytes are no number and are not consumed`() {
        var bytes: ArraySlice<UInt8> = [1, 2, 3]
        #expect(UInt32(takenFrom: &bytes) == nil)
        #expect(bytes == [1, 2, 3])
    }
}
