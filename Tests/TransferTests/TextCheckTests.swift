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
            var machine = EncodedBytes(.utf8)
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

    @Test(arguments: [[0xFE, 0xFF, 0x00, 0x41], [0xFF, 0xFE, 0x41, 0x00]] as [[UInt8]])
    func `UTF-16 is recognized by its byte order mark`(body: [UInt8]) {
        for encoding in TextEncoding.allCases {
            #expect(fault(body, as: encoding) == "the body is utf-16")
        }
    }
}
