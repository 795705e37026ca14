import Report
import Testing
import TransferModel

@Suite struct RedactorTests {
    private static let mark = "‹redacted›"

    private static func redacted(_ text: String, _ secrets: String...) throws -> String {
        try #require(Redactor(secrets.map { Secret($0) })).redacted(text)
    }

    @Test func `without secrets there is nothing to look for`() {
        #expect(Redactor([]) == nil)
        for short in ["", "a", "abc"] {
            #expect(Redactor([Secret(short)])?.redacted("a abc YWJj") == "a abc YWJj")
        }
    }

    @Test(arguments: [
        ("", ""), ("no such thing", "no such thing"), ("hunter2", mark), ("hunter", "hunter"),
        ("a hunter2 b hunter2", "a \(mark) b \(mark)"), ("hunter2hunter2", mark),
        ("hhunter2", "h\(mark)"), ("hunterhunter2", "hunter\(mark)"), ("HUNTER2", "HUNTER2"),
        ("é hunter2 é", "é \(mark) é"),
    ])
    func `a secret is found as it is`(text: String, expected: String) throws {
        #expect(try Self.redacted(text, "hunter2") == expected)
    }

    @Test(arguments: [
        #"p%C3%A4ss%20w%2Frd%22"#, #"p%c3%a4ss%20w%2frd%22"#, #"p%C3%a4ss+w/rd%22"#,
        "%70%C3%A4%73%73%20%77%2F%72%64%22", #"päss w\/rd\""#, #"p\u00e4ss w/rd\u0022"#,
        #"p\u00E4ss\u0020w\u002frd\""#, "p\u{C3}\u{A4}ss w/rd\"", "päss w/rd\"",
    ])
    func `a secret is found under any escaping`(text: String) throws {
        #expect(try Self.redacted("a=\(text)&b", "päss w/rd\"") == "a=\(Self.mark)&b")
    }

    @Test(arguments: [
        "s3cret-wörd", "s3cret-w\u{E3}\u{96}rd", "s3cret-w\u{C3}\u{B6}rd", "s3cret-w\u{C3}\u{96}rd",
        "s3cret-w%c3%b6rd", "uznjcmv0lvfdlnjk",
    ])
    func `a secret is found in small letters`(text: String) throws {
        let redacted = try Self.redacted("<\(text)>", "S3cret-WÖrd")
        #expect(redacted.hasPrefix("<") && redacted.contains(Self.mark))
        #expect(!redacted.contains("cret") && !redacted.contains("cmv0"))
    }

    @Test(arguments: [
        ("a: hunter2 # é", "a: ******* # é"), ("päss-wörd!\n", "*********!\n"), ("none", "none"),
        ("one\ntwoo", "***\n****"),
    ])
    func `stars keep the places of a text`(text: String, expected: String) throws {
        let redactor = try #require(
            Redactor(["hunter2", "päss-wörd", "one\ntwoo"].map { Secret($0) })
        )
        let masked = redactor.masked(Array(text.utf8))
        #expect(String(decoding: masked, as: UTF8.self) == expected)
    }

    @Test func `a character outside of the basic plane is found by its surrogates`() throws {
        #expect(try Self.redacted(#"x\ud83d\ude00word"#, "😀word") == "x\(Self.mark)")
    }

    @Test(arguments: [
        // The secret behind none, one and two bytes, before none and some, in both alphabets.
        ("czNjcmV0P35+", mark), ("czNjcmV0P35-", mark), ("OnMzY3JldD9+fg==", "O\(mark)=="),
        ("OjpzM2NyZXQ/fn4=", "Oj\(mark)="), ("OjpzM2NyZXQ_fn4", "Oj\(mark)"),
        ("dXNlcjpzM2NyZXQ/fn46YQ==", "dXNlcj\(mark)6YQ=="), ("czNjcmV0P35%2B", mark),
        ("Basic czNjcmV0P35+ x", "Basic \(mark) x"),
    ])
    func `a secret is found in base64 at any offset`(text: String, expected: String) throws {
        #expect(try Self.redacted(text, "s3cret?~~") == expected)
    }

    @Test(arguments: ["68756e74657232", "xx68756E74657232yy"])
    func `a secret is found as hexadecimal digits`(text: String) throws {
        let shown = try Self.redacted(text, "hunter2")
        #expect(shown == (text.hasPrefix("x") ? "xx\(Self.mark)yy" : Self.mark))
    }

    @Test func `every neighbourhood in base64 is covered`() throws {
        let secret = "correct horse"
        for front in 0..<7 {
            for back in 0..<7 {
                let bytes = Array(
                    (String(repeating: "\u{1}", count: front) + secret
                        + String(repeating: "\u{7F}", count: back)).utf8
                )
                let text = Self.base64(bytes)
                let shown = try Self.redacted(text, secret)
                // Apart from the mark only digits are left that the secret has no bit in.
                let parts = shown.split(separator: Self.mark, omittingEmptySubsequences: false)
                try #require(parts.count == 2, "\(text) \(shown)")
                #expect(parts[0].utf8.count <= front * 8 / 6)
                #expect(parts[1].filter { $0 != "=" }.utf8.count <= (back * 8 + 5) / 6)
            }
        }
    }

    @Test(arguments: ["\n", "\r\n", " ", #"\n"#, #"\r\n"#, #"\\r\\n"#, "%0D%0A"], 0..<3)
    func `a secret is found in base64 broken into lines at any place`(
        lineEnd: String,
        offset: Int
    ) throws {
        let secret = "correct horse, battery"
        let redactor = try #require(Redactor([Secret(secret)]))
        let front = String(repeating: "\u{1}", count: offset)
        let encoded = Self.base64(Array((front + secret + "\u{7F}").utf8))
        let whole = redactor.redacted(encoded)
        for count in 1..<encoded.utf8.count {
            let text = encoded.prefix(count) + lineEnd + encoded.dropFirst(count)
            // Only a line end before or behind all digits of the secret stays.
            let shown = redactor.redacted("a: \(text) b")
            #expect(
                shown.replacing(lineEnd, with: "") == "a: \(whole) b".replacing(lineEnd, with: "")
            )
        }
        let lines = encoded.map { "\($0)\(lineEnd)" }.joined()
        #expect(redactor.redacted(lines + "…").replacing(lineEnd, with: "") == "\(whole)…")
    }

    @Test func `words are not joined in search of a secret that is not in base64`() throws {
        #expect(try Self.redacted("grasp assess", "pass") == "grasp assess")
        #expect(try Self.redacted("czNj cmV0P35+ x", "s3cret?~~") == "\(Self.mark) x")
        #expect(try Self.redacted("czNj\ncmV…", "s3cret?~~") == "\(Self.mark)…")
    }

    @Test(arguments: [
        ("the server said: abc hunt…", "the server said: abc \(mark)…"),
        ("the server said: abc hun…", "the server said: abc hun…"),
        ("hunter…2", "\(mark)…2"), ("hunte\u{FFFD}…", "\(mark)\u{FFFD}…"), ("hunt er…", "hunt er…"),
        ("a=hunt%65…", "a=\(mark)…"), ("aHVudG…", "\(mark)…"),
    ])
    func `a cut secret is redacted from four bytes on`(
        text: String,
        expected: String
    ) throws {
        #expect(try Self.redacted(text, "hunter2") == expected)
    }

    /// Ways to escape a text, by their layers from the inside to the outside.
    private static let escapes: [[@Sendable (String) -> String]] = {
        let single: [@Sendable (String) -> String] = [percent, json, quoted]
        return [[]] + single.map { [$0] } + single.flatMap { inner in single.map { [inner, $0] } }
    }()

    @Test(arguments: RedactorTests.escapes.indices, ["", "\u{FFFD}"])
    func `an escaped secret that is cut anywhere leaves at most four bytes`(
        escape: Int,
        half: String
    ) throws {
        func escaped(_ text: String) -> String {
            Self.escapes[escape].reduce(text) { $1($0) }
        }
        let secret = #"SecA/b+\"x😀é"#
        let redactor = try #require(Redactor([Secret(secret)]))
        let front = "said: "
        let text = front + escaped(secret)
        let known = front.utf8.count + escaped(String(secret.prefix(4))).utf8.count
        for count in known...text.utf8.count {
            let cut = String(decoding: Array(text.utf8).prefix(count), as: UTF8.self)
            // A character that was cut in two is one mark already.
            let shown = redactor.redacted(cut + half + "…")
            #expect(shown.hasPrefix(front + Self.mark), "\(cut) \(shown)")
            let rest = shown.dropFirst((front + Self.mark).count)
            #expect(rest.allSatisfy { $0 == "\u{FFFD}" || $0 == "…" }, "\(cut) \(shown)")
        }
    }

    @Test func `secrets within secrets, and ones that overlap, leave nothing behind`() throws {
        #expect(try Self.redacted("xabcdefgx", "abcde", "cdefg") == "x\(Self.mark)x")
        #expect(try Self.redacted("xabcdefgx", "abcdefg", "bcde") == "x\(Self.mark)x")
        #expect(try Self.redacted("xbcdex", "abcdefg", "bcde") == "x\(Self.mark)x")
        #expect(try Self.redacted("aaaaaaaab", "aaaa", "aaaaaab") == Self.mark)
    }

    @Test func `a secret of several lines is found on one line and line by line`() throws {
        let key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----"
        let oneLine = key.replacing("\n", with: " ")
        #expect(try Self.redacted("said: \(oneLine).", key) == "said: \(Self.mark).")
        #expect(try Self.redacted("line 2: MIIEvQIBADANBg", key) == "line 2: \(Self.mark)")
        #expect(try Self.redacted(key.replacing("\n", with: "\\n"), key) == Self.mark)
        #expect(
            try Self.redacted(key.replacing("\n", with: "\u{FFFD}"), key).contains("MII") == false
        )
    }

    @Test func `bytes that are no text are searched, too`() throws {
        let redactor = try #require(Redactor([Secret("hunter2")]))
        let bytes: [UInt8] = [0xFF, 0x25] + Array("hunter2".utf8) + [0x5C, 0x75, 0xC3, 0x25, 0x32]
        #expect(
            redactor.redacted(bytes)
                == [0xFF, 0x25] + Array(Self.mark.utf8) + [0x5C, 0x75, 0xC3, 0x25, 0x32]
        )
    }

    @Test(arguments: 0..<200)
    func `a random secret leaves no trace in random surroundings`(seed: Int) throws {
        var random = Numbers(state: UInt64(seed + 1))
        let letters = Array(#"abAB12+/ %&="\{}é😀"#)
        let secret = String((0..<random.next(4...20)).map { _ in letters[random.next(0...17)] })
        let front = String((0..<random.next(0...9)).map { _ in letters[random.next(0...17)] })
        let redactor = try #require(Redactor([Secret(secret)]))
        let escapes: [(String) -> String] = [
            { $0 }, Self.percent, Self.json, { Self.percent(Self.json($0)) },
            { Self.json(Self.percent($0)) },
        ]
        for escape in escapes {
            let shown = redactor.redacted(escape(front + secret + "!"))
            #expect(!shown.contains(escape(secret)), "\(front) \(secret)")
        }
        let encoded = Self.base64(Array((front + secret).utf8))
        #expect(redactor.redacted(encoded).contains(Self.mark), "\(encoded)")
    }

    /// A small generator, so that each case is the same every time.
    private struct Numbers {
        var state: UInt64

        mutating func next(_ range: ClosedRange<Int>) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return range.lowerBound + Int((state >> 33) % UInt64(range.count))
        }
    }

    /// Escapes only the characters that need it.
    private static func quoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    private static func percent(_ text: String) -> String {
        text.utf8.map { "%" + String(Int($0) | 0x100, radix: 16).dropFirst() }.joined()
    }

    private static func json(_ text: String) -> String {
        text.utf16.map { "\\u" + String(Int($0) | 0x10000, radix: 16).dropFirst() }.joined()
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let value = (0..<3).reduce(0) { $0 << 8 | Int($1 < part.count ? part[start + $1] : 0) }
            for digit in 0..<4 {
                let isThere = digit <= part.count
                text.append(isThere ? digits[value >> (18 - digit * 6) & 63] : "=")
            }
        }
        return text
    }

    @Test(arguments: [
        ("a s3cret b s3cret", 2), ("s3cret", 0), ("é %733cret", 3), ("secret", nil), ("", nil),
    ])
    func `the first secret of a text is found in its own bytes`(text: String, offset: Int?) throws {
        let redactor = try #require(Redactor([Secret("s3cret")]))
        #expect(redactor.firstSecret(in: text) == offset)
    }
}
