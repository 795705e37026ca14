import TestSupport
import Testing

@testable import WebSockets

/// Modelled on section 6 (UTF-8) of the Autobahn test suite.
@Suite struct TextTests {
    private static let greek = "κόσμε"

    private func text(_ bytes: [UInt8], isFinal: Bool = true) -> [UInt8] {
        ServerFrame.make(ServerFrame.text, bytes, isFinal: isFinal)
    }

    private func next(_ bytes: [UInt8], isFinal: Bool = true) -> [UInt8] {
        ServerFrame.make(ServerFrame.continuation, bytes, isFinal: isFinal)
    }

    // 6.1.1, 6.1.2
    @Test func `empty text is a message in one frame or in several`() throws {
        #expect(try Conversation(text([])).events == [.text("")])
        let fragments = try Conversation(
            text([], isFinal: false),
            next([], isFinal: false),
            next([])
        )
        #expect(fragments.events == [.text("")])
    }

    // 6.1.3
    @Test func `empty fragments around text change nothing`() throws {
        let conversation = try Conversation(
            text([], isFinal: false),
            ServerFrame.next("middle frame payload", isFinal: false),
            next([])
        )
        #expect(conversation.events == [.text("middle frame payload")])
    }

    // 6.2.1 to 6.2.4
    @Test(arguments: ["Hello-µ@ßöäüàá-UTF-8!!", greek])
    func `text beyond ASCII may be cut anywhere by fragments`(text: String) throws {
        let bytes = Array(text.utf8)
        for place in 0...bytes.count {
            let conversation = try Conversation(
                self.text(Array(bytes[..<place]), isFinal: false),
                next(Array(bytes[place...]))
            )
            #expect(conversation.events == [.text(text)], "cut at \(place)")
        }
        let single =
            self.text([], isFinal: false) + bytes.flatMap { next([$0], isFinal: false) } + next([])
        #expect(try Conversation(single).events == [.text(text)])
    }

    // 6.3.1, 6.3.2
    @Test func `a surrogate in text fails the connection in one frame or in fragments`() throws {
        let bytes = Array(Self.greek.utf8) + [0xED, 0xA0, 0x80] + Array("edited".utf8)
        let fault = ProtocolFault.textNotUTF8(at: Self.greek.utf8.count + 1)
        #expect(try Conversation(text(bytes)).fault == fault)
        let single = bytes.flatMap { next([$0], isFinal: false) }
        let conversation = try Conversation(text([], isFinal: false) + single + next([]))
        #expect(conversation.events == [.failed(fault)])
        #expect(fault.closeCode == .invalidPayload)
    }

    // 6.4.1 to 6.4.4
    @Test func `text fails at its first wrong byte, before its frame or fragment ends`() throws {
        // F4 90 is above U+10FFFF; the 90 is wrong whatever follows.
        let valid = Array(Self.greek.utf8) + [0xF4]
        let frame = text(valid + [0x90] + Array("edited".utf8))
        let whole = try Conversation(Array(frame.prefix(2 + valid.count + 1)))
        #expect(whole.fault == .textNotUTF8(at: valid.count))
        let fragments = try Conversation(text(valid, isFinal: false), next([0x90], isFinal: false))
        #expect(fragments.fault == .textNotUTF8(at: valid.count))
    }

    // 6.5.1 to 6.5.5, 6.7, 6.9, 6.11, 6.22, 6.23
    @Test(arguments: [
        [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5], [0x00],
        [0xC2, 0x80], [0xE0, 0xA0, 0x80], [0xF0, 0x90, 0x80, 0x80], [0x7F], [0xDF, 0xBF],
        [0xEF, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF, 0xBF], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80],
        [0xEF, 0xBF, 0xBD], [0xEF, 0xBF, 0xBE], [0xF0, 0x9F, 0xBF, 0xBE], [0xF0, 0x9F, 0xBF, 0xBF],
        [0xF3, 0xBF, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF, 0xBE], [0xEF, 0xB7, 0x90], [0xEF, 0xBB, 0xBF],
    ])
    func `a character of UTF-8 is accepted`(bytes: [UInt8]) throws {
        let padded = Array("long ASCII before ".utf8) + bytes + Array(" and behind it".utf8)
        for bytes in [bytes, padded] {
            let conversation = try Conversation(text(bytes))
            let message = Message(text: String(decoding: bytes, as: UTF8.self))
            #expect(message.bytes == bytes)
            #expect(conversation.events == [.message(message)])
            #expect(conversation.answers == [])
        }
    }

    // 6.6, 6.8, 6.10, 6.12 to 6.21: the bytes and the index of the first wrong one
    @Test(
        arguments: [
            // Continuation bytes without a beginning.
            ([0x80], 0), ([0xBF], 0), ([0x80, 0xBF, 0x80], 0), ([0x61, 0x80], 1),
            ([0xCE, 0xBA, 0xBA], 2),
            // Beginnings without continuation bytes.
            ([0xC2, 0x20], 1), ([0xE0, 0xA0, 0x20], 2), ([0xF0, 0x90, 0x80, 0x20], 3),
            ([0xE1, 0xE1], 1),
            ([0xF1, 0x80, 0xC2], 2),
            // Bytes that never stand in UTF-8, and characters of five and six bytes.
            ([0xFE], 0), ([0xFF], 0), ([0xFE, 0xFE, 0xFF, 0xFF], 0), ([0xF5], 0),
            ([0xF8, 0x88, 0x80, 0x80, 0x80], 0), ([0xFC, 0x84, 0x80, 0x80, 0x80, 0x80], 0),
            ([0xF7, 0xBF, 0xBF, 0xBF], 0), ([0xFB, 0xBF, 0xBF, 0xBF, 0xBF], 0),
            // Longer forms than needed.
            ([0xC0, 0xAF], 0), ([0xC1, 0xBF], 0), ([0xE0, 0x80, 0xAF], 1), ([0xE0, 0x9F, 0xBF], 1),
            ([0xF0, 0x80, 0x80, 0xAF], 1), ([0xF0, 0x8F, 0xBF, 0xBF], 1),
            // Surrogates, alone and in pairs, and numbers above 10FFFF.
            ([0xED, 0xA0, 0x80], 1), ([0xED, 0xAF, 0xBF], 1), ([0xED, 0xB0, 0x80], 1),
            ([0xED, 0xBF, 0xBF], 1), ([0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80], 1),
            ([0xF4, 0x90, 0x80, 0x80], 1),
        ] as [([UInt8], Int)]
    )
    func `text that is not UTF-8 fails with 1007 at its first wrong byte`(
        bytes: [UInt8],
        index: Int
    ) throws {
        let conversation = try Conversation(text(bytes))
        #expect(conversation.events == [.failed(.textNotUTF8(at: index))])
        #expect(conversation.fault?.closeCode == .invalidPayload)
        let cut = try Conversation(
            text(Array(bytes.prefix(index + 1)), isFinal: false),
            next([0x80])
        )
        #expect(cut.fault == .textNotUTF8(at: index))
    }

    // 6.6, 6.14, 6.15
    @Test(arguments: [
        [0xC2], [0xE0], [0xE0, 0xA0], [0xF0], [0xF0, 0x90], [0xF0, 0x90, 0x80], [0xDF],
        [0xEF, 0xBF], [0xF4, 0x8F, 0xBF], [0xCE, 0xBA, 0xE1, 0xBD],
    ])
    func `text that ends inside of a character fails with 1007`(bytes: [UInt8]) throws {
        let conversation = try Conversation(text(bytes))
        #expect(conversation.events == [.failed(.textNotUTF8(at: bytes.count))])
        #expect(conversation.fault?.closeCode == .invalidPayload)
    }

    @Test func `a message that ends inside of a character does not spoil a binary one`() throws {
        let conversation = try Conversation(
            ServerFrame.make(ServerFrame.binary, [0xC2, 0x20, 0xFF])
        )
        #expect(conversation.events == [.binary([0xC2, 0x20, 0xFF])])
    }
}
