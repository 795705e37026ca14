import SystemKit
import Testing

@Suite struct PaddedDigitsTests {
    @Test func `zeros stand in front of what is shorter, and nothing is cut off`() {
        #expect(7.padded(to: 2) == "07")
        #expect(0.padded(to: 4) == "0000")
        #expect(12_345.padded(to: 4) == "12345")
        #expect(UInt16(0o640).padded(to: 4, radix: 8) == "0640")
        #expect(UInt8(0xA).padded(to: 2, radix: 16, uppercase: true) == "0A")
    }
}
