import CurlKit
import Testing

@Suite struct MessageDigestTests {
    // FIPS 180-4, by the examples of NIST.
    @Test func `a word's digest does not depend on earlier words`() {
        let known = [
            "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ]
        for text in ["abc", "", "abc", "abc", ""] {
            #expect(MessageDigest.sha256(of: Array(text.utf8)) == known[text])
        }
    }
}
