import Testing
import TransferModel

/// The test vectors of RFC 4648 §10, and invalid base64.
@Suite struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"),
        ("Zm9vYmE=", "fooba"),
        ("Zm9vYmFy", "foobar"),
    ])
    func `digits are decoded to bytes`(text: String, bytes: String) {
        #expect(Base64.decode(text.utf8) == Array(bytes.utf8))
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func `bytes are encoded to digits with padding`(bytes: String, text: String) {
        #expect(Base64.encode(Array(bytes.utf8)) == text)
    }

    @Test func `every byte value is encoded and decoded`() {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(Base64.decode(Base64.encode(bytes).utf8) == bytes)
        #expect(Base64.encode([0xFB, 0xEF, 0xBE, 0xFF, 0xFF, 0xFF]) == "++++////")
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg==Zg==", "Z===", "====", "Zm9v\n", "Zm_v", "Zm9 ", "=Zm9",
    ])
    func `anything else is nothing`(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }
}
