import SystemKit
import Testing

@Suite struct PaddedDigitsTests {
    @Test func `shorter numbers get leading zeros, and longer ones are not cut`() {
        #expect(7.padded(to: 2) == "07")
        #expect(0.padded(to: 4) == "0000")
        #expect(12_345.padded(to: 4) == "12345")
        #expect(UInt16(0o640).padded(to: 4, radix: 8) == "0640")
        #expect(UInt8(0xA).padded(to: 2, radix: 16, uppercase: true) == "0A")
    }
}
