import Testing
import TransferModel

@testable import Transfer

@Suite struct TextCheckTests {
    /// The fault of a body that arrives in pieces of that size.
    private func fault(
        _ body: [UInt8],
        as encoding: TextEncoding = .utf8,
        charset: String? = nil,
        pieces size: Int = 1
    ) -> String? {
        var check = TextCheck(encoding, charset: charset)
        for start in stride(from: 0, to: body.count, by: size) {
            let piece = Array(body[start..<min(start + size, body.count)])
            if let fault = check.take(piece.span) { return fault }
        }
        return check.end()
    }

    private static let text = Array("a é € 🙂 \u{10FFFF} \u{800} \u{FFFD} end".utf8)

    @Test(arguments: 1...8)
    func `characters may be cut by pieces`(size: Int) {
        #expect(fault(Self.text, pieces: size) == nil)
        #expect(fault([0xEF, 0xBB, 0xBF] + Self.text, pieces: size) == nil)
    }

    @Test func `the check agrees with the standard library on UTF-8`() {
        // Every pair of bytes, and those of three and four that decide.
        let edges: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0,
            0xE1,
            0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        func agrees(_ bytes: [UInt8]) -> Bool {
            guard var machine = EncodedBytes(.utf8) else { return false }
            let isAccepted = machine.take(bytes.span) == nil && machine.isComplete
            return isAccepted == (String(validating: bytes, as: UTF8.self) != nil)
        }
        for one in UInt8.min...UInt8.max {
            for two in UInt8.min...UInt8.max where !agrees([one, two]) {
                Issue.record("\(one) \(two)")
            }
        }
        for one in edges {
            for two in edges {
                for three in edges {
                    for four in edges where !agrees([one, two, three, four]) {
                        Issue.record("\(one) \(two) \(three) \(four)")
                    }
                }
            }
        }
    }

    @Test func `the place of the first wrong byte is reported`() {
        for size in 1...5 {
            #expect(
                fault(Array("abcdef".utf8) + [0xFF, 0x41], pieces: size)
                    == "byte 6 of the body is not utf-8"
            )
        }
        #expect(fault([0x41, 0xC3]) == "the body ends in the middle of a character")
        #expect(fault([0xC3]) == "the body ends in the middle of a character")
    }

    @Test(
        arguments: [
            (.utf8, "UTF-8", "é", true), (.utf8, "utf8", "é", true), (.utf8, "us-ascii", "e", true),
            (.utf8, "us-ascii", "é", false), (.utf8, "iso-8859-1", "e", false),
            (.utf8, "shift_jis", "e", false), (.ascii, nil, "e", true), (.ascii, nil, "é", false),
            (.ascii, "utf-8", "e", true), (.ascii, "utf-8", "é", false),
            (.latin1, "iso-8859-1", "é", true), (.latin1, nil, "é", true),
            (.latin1, "utf-8", "e", false), (.latin1, "iso-8859-1", "\u{FEFF}", false),
            (.utf8, "iso-8859-1", "\u{FEFF}é", true), (.ascii, nil, "\u{FEFF}e", false),
        ] as [(TextEncoding, String?, String, Bool)]
    )
    func `the byte order mark counts before the charset, and ASCII is a part of all`(
        expected: TextEncoding,
        charset: String?,
        text: String,
        passes: Bool
    ) {
        for size in [1, 2, 100] {
            let fault = fault(Array(text.utf8), as: expected, charset: charset, pieces: size)
            #expect((fault == nil) == passes)
        }
    }

    @Test(
        arguments: [
            ([0xFE, 0xFF, 0x00, 0x41], .utf16be), ([0xFF, 0xFE, 0x41, 0x00], .utf16le),
            ([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x41], .utf32be),
            ([0xFF, 0xFE, 0, 0, 0x41, 0, 0, 0], .utf32le),
        ] as [([UInt8], TextEncoding)]
    )
    func `UTF-16 and UTF-32 are recognized by their marks`(
        body: [UInt8],
        marked: TextEncoding
    ) {
        for encoding in TextEncoding.allCases where !encoding.agrees(with: .utf16le) {
            let fault = fault(body, as: encoding)
            #expect(
                fault == (encoding.agrees(with: marked) ? nil : "the body is \(marked.rawValue)")
            )
        }
        #expect((fault(body, as: .utf16) == nil) == (marked != .utf32be))
    }

    @Test func `this machine decodes every encoding, and each accepts its own text`() throws {
        for encoding in TextEncoding.allCases where !encoding.isOpen {
            #expect(EncodedBytes(encoding) != nil, "\(encoding.rawValue)")
            if encoding.extendsASCII { #expect(fault(Array("plain".utf8), as: encoding) == nil) }
        }
    }

    @Test(
        arguments: [
            (.windows1252, [0xE4, 0x80, 0x93], nil), (.windows1252, [0x41, 0x81], 1),
            (.shiftJIS, [0x93, 0xFA, 0x96, 0x7B], nil), (.shiftJIS, [0x93, 0xFA, 0xFF], 2),
            (.eucJP, [0xC6, 0xFC], nil), (.eucJP, [0x41, 0xC6, 0x20], 1), (.greek, [0xE1], nil),
            (.greek, [0xFF], 0), (.gb18030, [0x81, 0x30, 0x81, 0x30, 0xD6, 0xD0], nil),
            (.utf16le, [0x3D, 0xD8, 0x42, 0xDE], nil), (.utf16le, [0x41, 0, 0x42, 0xDE], 2),
            (.utf16, [0xD8, 0x3D, 0xDE, 0x42], nil), (.utf16, [0, 0x41, 0xDE, 0x42], 2),
            (.utf32, [0, 1, 0xF6, 0x42], nil), (.utf32be, [0, 0x11, 0, 0], 0),
            (.iso2022JP, [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], nil),
        ] as [(TextEncoding, [UInt8], Int?)]
    )
    func `iconv finds the first wrong byte, wherever pieces are cut`(
        encoding: TextEncoding,
        body: [UInt8],
        offset: Int?
    ) {
        for size in 1...5 {
            let fault = fault(body, as: encoding, pieces: size)
            let name =
                encoding == .utf16
                ? "utf-16be" : encoding == .utf32 ? "utf-32be" : encoding.rawValue
            #expect(fault == offset.map { "byte \($0) of the body is not \(name)" })
        }
    }

    @Test func `a body in another encoding may end in the middle of a character`() {
        for encoding in [TextEncoding.shiftJIS, .utf16le, .utf32] {
            #expect(fault([0x93], as: encoding) == "the body ends in the middle of a character")
        }
    }

    @Test(
        arguments: [
            (.windows1252, "CP1252", true), (.windows1252, "x-cp1252", true),
            (.windows1252, "windows-1251", false), (.shiftJIS, "Shift-JIS", true),
            (.shiftJIS, "x-sjis", true), (.utf16, "UTF-16LE", true), (.utf16le, "utf-16", true),
            (.utf16le, "utf-16be", false), (.utf16, "us-ascii", false), (.latin9, "latin9", true),
            (.gbk, "x-unknown", false), (.ascii, "windows-1252", true),
        ] as [(TextEncoding, String, Bool)]
    )
    func `a charset agrees with the encoding of the same name`(
        encoding: TextEncoding,
        charset: String,
        agrees: Bool
    ) {
        let text: [UInt8] = encoding.extendsASCII ? [0x41, 0x42] : [0x41, 0]
        #expect((fault(text, as: encoding, charset: charset) == nil) == agrees)
    }
}
