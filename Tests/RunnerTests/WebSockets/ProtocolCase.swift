import TestSupport

/// One rule of RFC 6455: what a server sends, and what the runner makes of it.
///
/// The numbers are those of the public list of the Autobahn test suite.
struct ProtocolCase: Sendable {
    /// The right reaction of the runner.
    enum Reaction: Sendable {
        /// The messages arrive, then the runner closes with 1000; the pongs are sent before.
        case messages([Message], pongs: [[UInt8]])
        /// The runner fails the connection with this code.
        case fault(UInt16)
        /// The server's closing is accepted, and answered with its code.
        case closed(UInt16?)
    }

    /// A received message.
    enum Message: Sendable, Hashable {
        case text(String)
        case binary([UInt8])
    }

    let number: String
    let bytes: [UInt8]
    let pieceSize: Int?
    let reaction: Reaction

    /// Ends each script whose messages must arrive.
    static let end = ServerFrame.text("end")

    /// The server's messages arrive.
    static func messages(
        _ number: String,
        _ messages: [Message],
        from frames: [UInt8]...,
        pongs: [[UInt8]] = [],
        pieceSize: Int? = nil
    ) -> ProtocolCase {
        ProtocolCase(
            number: number,
            bytes: Array(frames.joined()) + end,
            pieceSize: pieceSize,
            reaction: .messages(messages + [.text("end")], pongs: pongs)
        )
    }

    /// The runner fails the connection.
    static func fault(
        _ number: String,
        _ code: UInt16 = 1002,
        from frames: [UInt8]...,
        pieceSize: Int? = nil
    ) -> ProtocolCase {
        ProtocolCase(
            number: number,
            bytes: Array(frames.joined()),
            pieceSize: pieceSize,
            reaction: .fault(code)
        )
    }

    /// The server closes the connection in order.
    static func closed(
        _ number: String,
        _ code: UInt16?,
        from frames: [UInt8]...
    ) -> ProtocolCase {
        ProtocolCase(
            number: number,
            bytes: Array(frames.joined()),
            pieceSize: nil,
            reaction: .closed(code)
        )
    }
}

extension ProtocolCase {
    /// All cases; each number once.
    static let all: [ProtocolCase] = [
        sizes, framing, pings, reservedBits, reservedOpcodes, fragmentation, text, validText,
        invalidText, closing, validCodes, invalidCodes, limits,
    ].flatMap(\.self)

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
    private static func make(
        _ opcode: UInt8,
        _ text: String = "",
        isFinal: Bool = true
    ) -> [UInt8] {
        ServerFrame.make(opcode, bytes(text), isFinal: isFinal)
    }

    // MARK: 1: Framing

    private static let sizes: [ProtocolCase] = [0, 125, 126, 127, 128, 65_535, 65_536]
        .enumerated().flatMap { (index: Int, size: Int) -> [ProtocolCase] in
            let text = String(repeating: "*", count: size)
            let binary = [UInt8](repeating: 0xFE, count: size)
            return [
                messages("1.1.\(index + 1)", [.text(text)], from: ServerFrame.text(text)),
                messages(
                    "1.2.\(index + 1)",
                    [.binary(binary)],
                    from: ServerFrame.make(ServerFrame.binary, binary)
                ),
            ]
        }

    private static let framing: [ProtocolCase] = [
        messages(
            "1.1.8",
            [.text(String(repeating: "*", count: 65_536))],
            from: ServerFrame.text(String(repeating: "*", count: 65_536)),
            pieceSize: 997
        ),
        // A server's frame is never masked (§5.1).
        fault("1.3.1", from: [0x81, 0x81, 0, 0, 0, 0, 0x61]),
        // Lengths are encoded with as few bytes as possible (§5.2).
        fault("1.3.2", from: ServerFrame.make(ServerFrame.text, bytes("a"), lengthBytes: 2)),
        fault("1.3.3", from: ServerFrame.make(ServerFrame.text, bytes("a"), lengthBytes: 8)),
        fault("1.3.4", from: [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 1]),
    ]

    // MARK: 2: Pings and pongs

    private static let pings: [ProtocolCase] = [
        messages("2.1", [], from: ServerFrame.ping(""), pongs: [[]]),
        messages("2.2", [], from: ServerFrame.ping("Hello"), pongs: [bytes("Hello")]),
        messages(
            "2.3",
            [],
            from: ServerFrame.make(ServerFrame.ping, [0, 255, 254, 253, 0]),
            pongs: [[0, 255, 254, 253, 0]]
        ),
        messages(
            "2.4",
            [],
            from: ServerFrame.make(ServerFrame.ping, .init(repeating: 254, count: 125)),
            pongs: [.init(repeating: 254, count: 125)]
        ),
        fault("2.5", from: ServerFrame.make(ServerFrame.ping, .init(repeating: 254, count: 126))),
        messages(
            "2.6",
            [],
            from: ServerFrame.make(ServerFrame.ping, .init(repeating: 254, count: 125)),
            pongs: [.init(repeating: 254, count: 125)],
            pieceSize: 1
        ),
        messages("2.7", [], from: ServerFrame.pong("")),
        messages("2.8", [], from: ServerFrame.pong("unsolicited")),
        messages(
            "2.9",
            [],
            from: ServerFrame.pong("unsolicited"),
            ServerFrame.ping("ping"),
            pongs: [bytes("ping")]
        ),
        messages(
            "2.10",
            [],
            from: (0..<10).flatMap { ServerFrame.ping("\($0)") },
            pongs: (0..<10).map { bytes("\($0)") }
        ),
        messages(
            "2.11",
            [],
            from: (0..<10).flatMap { ServerFrame.ping("\($0)") },
            pongs: (0..<10).map { bytes("\($0)") },
            pieceSize: 1
        ),
    ]

    // MARK: 3, 4: Reserved bits and opcodes

    private static let reservedBits: [ProtocolCase] = (1...7).map { (bits: Int) -> ProtocolCase in
        let opcode =
            bits == 5 ? ServerFrame.binary : bits == 6 ? ServerFrame.ping : ServerFrame.text
        let frame = ServerFrame.make(opcode, bytes("Hello"), reserved: UInt8(bits))
        return fault("3.\(bits)", from: frame)
    }

    private static let reservedOpcodes: [ProtocolCase] = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map {
        (opcode: Int) -> ProtocolCase in
        let number = opcode < 8 ? "4.1.\(opcode - 2)" : "4.2.\(opcode - 10)"
        return fault(number, from: ServerFrame.make(UInt8(opcode), bytes("a")))
    }

    // MARK: 5: Fragmentation

    private static let fragmentation: [ProtocolCase] = [
        fault(
            "5.1",
            from: make(ServerFrame.ping, "a", isFinal: false),
            ServerFrame.next("b")
        ),
        fault(
            "5.2",
            from: make(ServerFrame.pong, "a", isFinal: false),
            ServerFrame.next("b")
        ),
        messages(
            "5.3",
            [.text("fragment1fragment2")],
            from: ServerFrame.text("fragment1", isFinal: false),
            ServerFrame.next("fragment2")
        ),
        messages(
            "5.5",
            [.text("fragment1fragment2")],
            from: ServerFrame.text("fragment1", isFinal: false),
            ServerFrame.next("fragment2"),
            pieceSize: 1
        ),
        messages(
            "5.6",
            [.text("fragment1fragment2")],
            from: ServerFrame.text("fragment1", isFinal: false),
            ServerFrame.ping("ping"),
            ServerFrame.next("fragment2"),
            pongs: [bytes("ping")]
        ),
        messages(
            "5.8",
            [.text("fragment1fragment2")],
            from: ServerFrame.text("fragment1", isFinal: false),
            ServerFrame.ping("ping"),
            ServerFrame.next("fragment2"),
            pongs: [bytes("ping")],
            pieceSize: 1
        ),
        fault("5.9", from: ServerFrame.next("alone"), ServerFrame.text("Hello")),
        fault("5.11", from: ServerFrame.next("alone"), pieceSize: 1),
        fault("5.12", from: ServerFrame.next("alone", isFinal: false), ServerFrame.text("Hello")),
        fault(
            "5.15",
            from: ServerFrame.text("a", isFinal: false),
            ServerFrame.next("b"),
            ServerFrame.next("c", isFinal: false),
            ServerFrame.text("d")
        ),
        fault("5.18", from: ServerFrame.text("a", isFinal: false), ServerFrame.text("b")),
        messages(
            "5.19",
            [.text("abcde")],
            from: ServerFrame.text("a", isFinal: false),
            ServerFrame.next("b", isFinal: false),
            ServerFrame.ping("1"),
            ServerFrame.next("c", isFinal: false),
            ServerFrame.next("d", isFinal: false),
            ServerFrame.ping("2"),
            ServerFrame.next("e"),
            pongs: [bytes("1"), bytes("2")]
        ),
        messages(
            "5.21",
            [.binary([1, 2, 3])],
            from: ServerFrame.make(ServerFrame.binary, [1], isFinal: false),
            ServerFrame.make(ServerFrame.continuation, [], isFinal: false),
            ServerFrame.make(ServerFrame.continuation, [2, 3])
        ),
    ]

    // MARK: 6: UTF-8

    private static let text: [ProtocolCase] =
        [
            messages("6.1.1", [.text("")], from: ServerFrame.text("")),
            messages(
                "6.1.2",
                [.text("")],
                from: ServerFrame.text("", isFinal: false),
                ServerFrame.next("", isFinal: false),
                ServerFrame.next("")
            ),
            messages("6.2.1", [.text("Hello-µ@ßöäüàá-UTF-8!!")], from: ServerFrame.text(greeting)),
            messages(
                "6.2.3",
                [.text("Hello-µ@ßöäüàá-UTF-8!!")],
                from: octets(bytes(greeting)),
                pieceSize: 1
            ),
            messages("6.2.4", [.text("κόσμε")], from: octets(bytes("κόσμε"))),
            fault("6.3.1", 1007, from: ServerFrame.make(ServerFrame.text, invalid)),
            fault("6.3.2", 1007, from: octets(invalid)),
            // The fault shows before the end of the message, or of the frame.
            fault(
                "6.4.1",
                1007,
                from: ServerFrame.make(ServerFrame.text, invalid, isFinal: false)
            ),
            fault(
                "6.4.3",
                1007,
                from: Array(ServerFrame.make(ServerFrame.text, invalid).dropLast(2))
            ),
        ]

    private static let validText: [ProtocolCase] =
        [
            ("6.5.1", [0x00]), ("6.6.2", [0xC2, 0x80]), ("6.6.5", [0xED, 0x9F, 0xBF]),
            ("6.6.7", [0xEE, 0x80, 0x80]), ("6.6.9", [0xEF, 0xBF, 0xBF]),
            ("6.6.11", [0xF4, 0x8F, 0xBF, 0xBF]), ("6.7.4", [0xF0, 0x90, 0x80, 0x80]),
            ("6.22.1", [0xEF, 0xBF, 0xBE]),
        ].map { (number: String, sequence: [UInt8]) -> ProtocolCase in
            messages(
                number,
                [.text(String(decoding: sequence, as: UTF8.self))],
                from: ServerFrame.make(ServerFrame.text, sequence)
            )
        }

    private static let invalidText: [ProtocolCase] =
        [
            ("6.8.1", [0xF8, 0x88, 0x80, 0x80, 0x80]), ("6.10.2", [0xF4, 0x90, 0x80, 0x80]),
            ("6.12.1", [0x80]), ("6.12.2", [0xBF]), ("6.14.1", [0xC0, 0x20]),
            ("6.15.1", [0xE0, 0x80]),
            ("6.16.1", [0xFE]), ("6.16.2", [0xFF]), ("6.17.1", [0xC0, 0xAF]),
            ("6.18.2", [0xE0, 0x9F, 0xBF]), ("6.19.1", [0xF0, 0x80, 0x80, 0x80]),
            ("6.20.1", [0xED, 0xA0, 0x80]), ("6.21.1", [0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80]),
            ("6.23.1", [0xE2, 0x82]),
        ].map { (number: String, sequence: [UInt8]) -> ProtocolCase in
            fault(number, 1007, from: ServerFrame.make(ServerFrame.text, sequence))
        }

    private static let greeting = "Hello-µ@ßöäüàá-UTF-8!!"
    /// A valid beginning, an encoded surrogate and a valid end.
    private static let invalid: [UInt8] = [0x61, 0xCE, 0xBA, 0xED, 0xA0, 0x80, 0x62, 0x63]

    /// A text message with a fragment for each byte.
    private static func octets(_ bytes: [UInt8]) -> [UInt8] {
        bytes.enumerated().flatMap { index, byte in
            ServerFrame.make(
                index == 0 ? ServerFrame.text : ServerFrame.continuation,
                [byte],
                isFinal: index == bytes.count - 1
            )
        }
    }

    // MARK: 7: Closing

    private static let closing: [ProtocolCase] = [
        closed("7.1.1", 1000, from: ServerFrame.text("Hello"), ServerFrame.close(1000)),
        closed("7.1.2", 1000, from: ServerFrame.close(1000), ServerFrame.close(1001)),
        closed("7.1.3", 1000, from: ServerFrame.close(1000), ServerFrame.ping("late")),
        closed("7.1.4", 1000, from: ServerFrame.close(1000), ServerFrame.text("late")),
        closed(
            "7.1.5",
            1000,
            from: ServerFrame.text("a", isFinal: false),
            ServerFrame.close(1000),
            ServerFrame.next("b")
        ),
        closed("7.3.1", nil, from: ServerFrame.make(ServerFrame.close)),
        fault("7.3.2", from: ServerFrame.make(ServerFrame.close, [3])),
        closed("7.3.3", 1000, from: ServerFrame.close(1000)),
        closed("7.3.4", 1000, from: ServerFrame.close(1000, "Hello World!")),
        closed("7.3.5", 1000, from: ServerFrame.close(1000, String(repeating: "*", count: 123))),
        fault("7.3.6", from: ServerFrame.close(1000, String(repeating: "*", count: 124))),
        fault(
            "7.5.1",
            1007,
            from: ServerFrame.make(ServerFrame.close, invalidReason)
        ),
    ]

    private static let invalidReason: [UInt8] = [0x03, 0xE8, 0x61, 0xED, 0xA0, 0x80]

    private static let validCodes: [ProtocolCase] =
        [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999]
        .enumerated().map { (index: Int, code: Int) -> ProtocolCase in
            closed("7.7.\(index + 1)", UInt16(code), from: ServerFrame.close(UInt16(code)))
        }

    private static let invalidCodes: [ProtocolCase] =
        [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999, 5000, 65_535]
        .enumerated().map { (index: Int, code: Int) -> ProtocolCase in
            let number = index < 9 ? "7.9.\(index + 1)" : "7.13.\(index - 8)"
            return fault(number, from: ServerFrame.close(UInt16(code)))
        }

    // MARK: 9, 10: Limits

    private static let limits: [ProtocolCase] = [
        messages(
            "9.1.1",
            [.text(String(repeating: "*", count: 100_000))],
            from: ServerFrame.text(String(repeating: "*", count: 100_000))
        ),
        // The announced length alone fails the connection (§10.4).
        fault("9.2.1", 1009, from: [0x82, 127, 0, 0, 0, 0, 0, 1, 0x86, 0xA1]),
        fault(
            "9.2.2",
            1009,
            from: ServerFrame.make(
                ServerFrame.binary,
                .init(repeating: 1, count: 60_000),
                isFinal: false
            ),
            ServerFrame.make(ServerFrame.continuation, .init(repeating: 1, count: 60_000))
        ),
        messages(
            "10.1.1",
            [.text(String(repeating: "*", count: 65_536))],
            from: chopped
        ),
    ]

    /// A message of 65,536 characters in fragments of 1,300.
    private static let chopped: [UInt8] = stride(from: 0, to: 65_536, by: 1_300).flatMap {
        (start: Int) -> [UInt8] in
        make(
            start == 0 ? ServerFrame.text : ServerFrame.continuation,
            String(repeating: "*", count: min(1_300, 65_536 - start)),
            isFinal: start + 1_300 >= 65_536
        )
    }
}
