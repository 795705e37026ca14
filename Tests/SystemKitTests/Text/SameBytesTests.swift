import SystemKit
import Testing

@Suite struct SameBytesTests {
    /// One letter, and a letter with its accent.
    static let spellings = ("\u{E9}", "e\u{301}")

    @Test func `two spellings of a letter are two texts`() {
        let (one, other) = Self.spellings
        #expect(one == other)
        #expect(!one.hasSameBytes(as: other))
        #expect(one.hasSameBytes(as: one))
        #expect(Set([ByteText(one), ByteText(other), ByteText(one)]).count == 2)
    }

    @Test(arguments: ["", "a", "exactly fifteen", "longer than what fits into a string itself"])
    func `equal bytes have equal hashes`(text: String) {
        let copy = String(Array(text))
        #expect(text.hasSameBytes(as: copy))
        #expect(!text.hasSameBytes(as: text + "\u{0}"))
        #expect(ByteText(text) == ByteText(copy))
        let hashes = [text.utf8.span.seededHash, copy.utf8.span.seededHash]
        #expect(hashes[0] == hashes[1])
        let longer = (text + "\u{0}").utf8.span.seededHash
        #expect(hashes[0] != longer)
    }
}
