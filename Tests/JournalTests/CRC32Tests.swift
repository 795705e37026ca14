import Testing

@testable import Journal

@Suite struct CRC32Tests {
    // The check value of the catalogue of CRC algorithms (CRC-32/ISO-HDLC).
    @Test(
        arguments: [("123456789", 0xCBF4_3926), ("", 0), ("a", 0xE8B7_BE43)] as [(String, UInt32)]
    )
    func `the checksum is gzip's CRC-32`(text: String, sum: UInt32) {
        #expect(CRC32.checksum(of: text.utf8) == sum)
    }
}
