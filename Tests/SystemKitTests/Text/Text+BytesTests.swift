import SystemKit
import TestSupport
import Testing

@Suite struct TextBytesTests {
    @Test func `text is split at bytes, whatever combines with them`() {
        #expect("a/\u{301}b//c/".splitAtBytes("/") == ["a", "\u{301}b", "c"])
        #expect(
            "a/\u{301}b//c/".splitAtBytes("/", omittingEmpty: false) == [
                "a", "\u{301}b", "", "c", "",
            ]
        )
        #expect("a=\u{301}=b".splitAtBytes("=", maxSplits: 1) == ["a", "\u{301}=b"])
        #expect("a, b\tc".splitAtBytes(",", " ", "\t") == ["a", "b", "c"])
        #expect("".splitAtBytes("/") == [])
        #expect("".splitAtBytes("/", omittingEmpty: false) == [""])
    }

    @Test func `a prefix and a suffix are bytes`() {
        #expect("/\u{301}x".hasBytePrefix("/"))
        #expect("x/\u{301}".hasByteSuffix("\u{301}"))
        #expect(!"\u{212A}".hasBytePrefix("K"))
        #expect(!"é".hasBytePrefix("e\u{301}"))
        #expect(!"".hasByteSuffix("/"))
        #expect("/\u{301}x".withoutBytePrefix("/") == "\u{301}x")
        #expect("e\u{301}".withoutByteSuffix("\u{301}") == "e")
        #expect("ab".withoutBytePrefix("b") == nil)
        #expect("ab".withoutByteSuffix("abc") == nil)
        #expect("a://\u{301}".containsBytes("://"))
        #expect(!"\u{212A}".containsBytes("K"))
        #expect("a@\u{301}b@c".lastByteIndex(of: "@") == "a@\u{301}b@c".utf8.lastIndex(of: 64))
        #expect("a".firstByteIndex(of: "@") == nil)
    }

    @Test func `bytes are replaced whatever combines with them`() {
        #expect("a%2F\u{301}b%2F".replacingBytes("%2F", with: "/") == "a/\u{301}b/")
        #expect("aaa".replacingBytes("aa", with: "b") == "ba")
        #expect("".replacingBytes("a", with: "b") == "")
    }

    @Test func `a folder is made below one whose name begins with an accent`() throws {
        let root = try TemporaryFolder()
        let folder = try Folder(path: root.path + "/a/\u{301}b/c", create: true)
        #expect(folder.path(of: "x") == root.path + "/a/\u{301}b/c/x")
        #expect(try root.list("a") == ["\u{301}b"])
        #expect(try root.list("a/\u{301}b") == ["c"])
    }

    @Test func `text is cut at the first or the last of a byte`() throws {
        let text = "a/\u{301}b/c"
        let first = try #require(text.cut(atFirst: "/"))
        #expect(first.before == "a" && first.behind.utf8.elementsEqual("\u{301}b/c".utf8))
        let last = try #require(text.cut(atLast: "/"))
        #expect(last.before.utf8.elementsEqual("a/\u{301}b".utf8) && last.behind == "c")
        let end = try #require("a/".cut(atLast: "/"))
        #expect(end.before == "a" && end.behind.isEmpty)
        #expect("abc".cut(atFirst: "/") == nil && "".cut(atLast: "/") == nil)
    }
}
