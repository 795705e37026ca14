import Testing
import TransferModel

@Suite struct StringOneLineTests {
    @Test(arguments: [
        ("", "", true), ("  a \t\r\n b  ", "a b", true),
        ("a\u{1B}[\u{0}\u{202E}c", "a[c", true),
        ("abcde", "abcde", true), ("abcdef", "abcde", false), ("a b c d e", "a b c d e", true),
        ("a b c d e f", "a b c d e", false), ("é😀", "é😀", true),
    ])
    func `a text is on one line, seen as a whole and no longer than wanted`(
        text: String,
        line: String,
        isWhole: Bool
    ) {
        let found = text.onOneLine(limit: 5)
        #expect(found.text == line)
        #expect(found.isWhole == isWhole)
    }
}
