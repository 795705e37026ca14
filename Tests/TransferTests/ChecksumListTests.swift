import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct ChecksumListTests {
    private static let one = String(repeating: "1a", count: 32)
    private static let two = String(repeating: "2B", count: 32)
    private static let long = String(repeating: "3c", count: 64)

    private static let first = ChecksumList.Answer.found(
        Checksum(.sha256, digest: .init(repeating: 0x1A, count: 32))
    )
    private static let second = ChecksumList.Answer.found(
        Checksum(.sha256, digest: .init(repeating: 0x2B, count: 32))
    )

    private static func find(
        _ text: String,
        _ paths: String...,
        algorithm: Checksum.Algorithm = .sha256
    ) -> ChecksumList.Answer {
        ChecksumList(Array(text.utf8)).find(algorithm, paths)
    }

    @Test(arguments: [
        "\(one)  file.tgz", "\(one) *file.tgz", "\(one) file.tgz", "\(one)\tfile.tgz",
        "\(one)  ./file.tgz", "\(one)  dist/file.tgz", "\(one.uppercased())  file.tgz\r",
        "SHA256 (file.tgz) = \(one)", "SHA256(file.tgz)= \(one)", "SHA2-256 (file.tgz) = \(one)",
        "  \(one)  file.tgz", "# sums\n\n\(two)  other\n\(one)  file.tgz\n",
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n\(one)  file.tgz\n"
            + "-----BEGIN PGP SIGNATURE-----\n\niQIzBAEBCAAdFiEE\n-----END PGP SIGNATURE-----",
        "MD5 (file.tgz) = d41d8cd98f00b204e9800998ecf8427e\nSHA256 (file.tgz) = \(one)",
        "\(long)  file.tgz\n\(one)  file.tgz", "\(one)  file.tgz\n\(one.uppercased()) *file.tgz",
        one, "\n\(one) \n", "\u{FEFF}\(one)  file.tgz", "\u{FEFF}\(one)",
    ])
    func `the usual forms are read`(text: String) {
        #expect(Self.find(text, "/pub/file.tgz") == Self.first)
    }

    @Test(arguments: [
        (#"\\#(one)  a\\b\nc"#, "a\\b\nc"),
        (#"\SHA256 (a\\b) = \#(one)"#, "a\\b"),
        (#"\#(one)  a\nb"#, #"a\nb"#),
        ("\(one)  with two  blanks", "with two  blanks"),
        ("SHA256 (a (1).tgz) = \(one)", "a (1).tgz"),
        ("\(one)  naïve.txt", "naïve.txt"),
    ])
    func `names are matched with their escapes decoded`(line: String, name: String) {
        #expect(Self.find(line, name) == Self.first)
    }

    @Test func `the requested algorithm is used`() {
        let text = "\(Self.long)  file\n\(Self.one)  file"
        let digest = [UInt8](repeating: 0x3C, count: 64)
        #expect(
            Self.find(text, "file", algorithm: .sha512) == .found(Checksum(.sha512, digest: digest))
        )
        #expect(Self.find("\(Self.one)  file", "file", algorithm: .sha512) == .missing)
    }

    @Test func `the first listed name counts`() {
        let text = "\(Self.one)  one\n\(Self.two)  two"
        #expect(Self.find(text, "none", "two", "one") == Self.second)
    }

    @Test func `among files of one name the one in the same folder counts`() {
        let text = "\(Self.one)  amd64/file\n\(Self.two)  arm64/file"
        #expect(Self.find(text, "/pub/amd64/file") == Self.first)
        #expect(Self.find(text, "/pub/arm64/file") == Self.second)
        #expect(Self.find(text, "/pub/file") == .ambiguous)
    }

    @Test(arguments: ["\(one)  file\n\(two)  file", "\(one)\n\(two)"])
    func `two digests for one name are a failure`(text: String) {
        #expect(Self.find(text, "file") == .ambiguous)
    }

    @Test(arguments: [
        "", "\(one)  other", "\(one)\n\(two)  other", "<html>not found</html>",
        "\(one.dropLast())  file", "\(one)a  file", "\(one)file", "SHA256 () = \(one)",
        "SHA1 (file) = \(one)", "SHA256 (file) \(one)", ") = (", "\(one)\u{0}", "\u{FEFF}",
    ])
    func `a file that is not listed is missing`(text: String) {
        #expect(Self.find(text, "file") == .missing)
    }

    @Test func `the deepest common folder counts, whatever else is listed`() {
        let text = """
            \(Self.two)  file
            \(Self.two)  b/file
            \(Self.one)  a/b/file
            \(Self.one)  ./x//a/./b/file
            \(Self.two)  c/b/file
            \(Self.two)  a/b/file.sig
            """
        #expect(Self.find(text, "/pub/a/b/file") == Self.first)
        #expect(Self.find(text, "/pub/x/a/b/file") == Self.first)
        #expect(Self.find(text, "/pub/c/b/file") == Self.second)
        #expect(Self.find(text, "/pub/d/b/file") == .ambiguous)
        #expect(Self.find(text, "/pub/le", "/pub/a/b/file.sig") == Self.second)
    }

    @Test func `a long list of one name is searched as fast as any other`() {
        let lines = (0..<20_000).map { "\(Self.one)  \($0)/file\n" }
        let list = ChecksumList(Array((lines.joined() + "\(Self.two)  own/file").utf8))
        for _ in 0..<2000 {
            #expect(list.find(.sha256, ["/own/file"]) == Self.second)
            #expect(list.find(.sha256, ["/7/file"]) == Self.first)
            #expect(list.find(.sha256, ["/other/file"]) == .ambiguous)
        }
    }

    @Test func `a list without a checksum is empty`() {
        #expect(ChecksumList(Array("<html>".utf8)).isEmpty)
        #expect(!ChecksumList(Array(Self.one.utf8)).isEmpty)
        #expect(!ChecksumList(Array("\(Self.one)  file".utf8)).isEmpty)
    }

    @Test func `no bytes make it fail`() {
        let parts = [
            Self.one, Self.long, " ", "  ", " *", "\\", "\\n", "\n", "\r\n", "(", ")", "=", "/",
            ".",
            "SHA256 (", ") = ", "file", "#", "\u{0}", "é",
        ]
        var generator = SplitMix64.forTests()
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                parts.randomElement(using: &generator) ?? ""
            }
            _ = Self.find(text.joined(), "/a/file", "", "/", "é", algorithm: .sha512)
        }
    }

    @Test func `bytes that are no text are ignored`() {
        let bytes =
            (0...255).flatMap { [UInt8($0), 10, UInt8($0)] } + Array("\n\(Self.one)  f".utf8)
        #expect(ChecksumList(bytes).find(.sha256, ["f"]) == Self.first)
    }
}
