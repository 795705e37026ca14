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
        "Z", "Zg", "Zg=", "Zg==Zg==", "Z===", "====", "Zm9v\n", "Zm_v", "Zm9 ", "=Zm9",
    ])
    func `anything else is nothing`(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }
}
