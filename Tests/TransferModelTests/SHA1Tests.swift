import SystemKit
import Testing

import TransferModel

@Suite struct SHA1Tests {
    /// Test vectors of FIPS 180 and RFC 3174 §7.3, and lengths around the padding's edges.
    @Test(arguments: [
        ("", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
        (
            "0123456701234567012345670123456701234567012345670123456701234567", 10,
            "dea356a2cddd90c7a7ecedc5ebb563934f460452"
        ),
        ("a", 55, "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
        ("a", 64, "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
    ])
    func `a digest is that of the standard`(text: String, count: Int, digest: String) {
        let bytes = Array(String(repeating: text, count: count).utf8)
        let hexadecimal = SHA1.digest(of: bytes).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        #expect(hexadecimal.joined() == digest)
    }

    /// Test cases 2 and 6 of RFC 2202 §3.
    @Test(arguments: [
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
        ),
        (
            [UInt8](repeating: 0xAA, count: 80),
            "Test Using Larger Than Block-Size Key - Hash Key First",
            "aa4ae5e15272d00e95705637ce8a3b55ed402112"
        ),
    ])
    func `an HMAC is that of the standard`(key: [UInt8], text: String, expected: String) {
        let hexadecimal = SHA1.hmac(Array(text.utf8), key: key).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        #expect(hexadecimal.joined() == expected)
    }
}
