import TestSupport
import Testing
import TransferModel

@testable import WebSockets

@Suite struct OpeningHandshakeTests {
    /// The 16 bytes of the key in RFC 6455 §1.3: "the sample nonce".
    private struct SampleNonce: RandomNumberGenerator {
        private var bytes = Array("the sample nonce".utf8)[...]

        mutating func next() -> UInt64 {
            UInt64(bytes.popFirst() ?? 0) * 0x0101_0101_0101_0101
        }
    }

    private func handshake(_ subprotocols: [String] = []) throws -> OpeningHandshake {
        var generator = SampleNonce()
        return try OpeningHandshake(
            host: "server.example.com",
            subprotocols: subprotocols,
            using: &generator
        )
    }

    /// A response that opens the connection of `handshake`, with some fields replaced; nil removes
    /// one.
    private func response(_ changes: [(String, String?)] = [], status: Int = 101) -> ResponseHead {
        var fields = [
            HeaderField(name: "Upgrade", value: "websocket"),
            HeaderField(name: "Connection", value: "Upgrade"),
            HeaderField(name: "Sec-WebSocket-Accept", value: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
        ]
        for (name, _) in changes { fields.removeAll { $0.isNamed(name) } }
        for case (let name, let value?) in changes {
            fields.append(HeaderField(name: name, value: value))
        }
        return ResponseHead(statusCode: status, fields: HeaderFields(fields))
    }

    // §1.2, §1.3
    @Test func `the request has the fields of the RFC's example`() throws {
        let handshake = try handshake(["chat", "superchat"])
        #expect(
            handshake.requestFields.map { "\($0.name): \($0.value)" } == [
                "Host: server.example.com",
                "Upgrade: websocket",
                "Connection: Upgrade",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Protocol: chat, superchat",
            ]
        )
        #expect(handshake.expectedAccept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test func `a request without subprotocols has no field for them`() throws {
        #expect(try !handshake().requestFields.contains("Sec-WebSocket-Protocol"))
    }

    @Test func `each handshake has a key of 16 new random bytes`() throws {
        var generator = SplitMix64(seed: 4)
        let keys = try (0..<50).map { _ in
            try OpeningHandshake(host: "h", using: &generator).key
        }
        #expect(Set(keys).count == 50)
        #expect(keys.allSatisfy { Base64.decode($0.utf8)?.count == 16 })
    }

    // §4.1 item 10
    @Test(arguments: ["", "a b", "a,b", "é", "a\r\nX: y"])
    func `a subprotocol that is no token is refused`(name: String) {
        #expect(throws: SubprotocolFault.notAToken(name)) { try handshake(["chat", name]) }
    }

    @Test func `a subprotocol that is listed twice is refused`() throws {
        #expect(throws: SubprotocolFault.repeated("chat")) { try handshake(["chat", "x", "chat"]) }
        #expect(try handshake(["chat", "Chat"]).subprotocols == ["chat", "Chat"])
    }

    @Test func `the RFC's response opens the connection without a subprotocol`() throws {
        #expect(try handshake().check(response()) == nil)
    }

    @Test(arguments: [
        ("Upgrade", "WebSocket"), ("Connection", "upgrade"), ("Connection", "keep-alive, Upgrade"),
        ("Connection", "keep-alive ,\tUPGRADE ,"), ("Sec-WebSocket-Extensions", ""),
        ("Sec-WebSocket-Accept", "  s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\t"),
        // A server may ignore the wish for a subprotocol, and repeat the version.
        ("Sec-WebSocket-Version", "13"),
    ])
    func `other spellings open the connection as well`(name: String, value: String) throws {
        #expect(try handshake(["chat"]).check(response([(name, value)])) == nil)
    }

    @Test func `Connection may be spread over several lines`() throws {
        let head = response([("Connection", "keep-alive"), ("connection", "Upgrade")])
        #expect(try handshake().check(head) == nil)
    }

    @Test func `the chosen subprotocol is returned`() throws {
        let head = response([("Sec-WebSocket-Protocol", "superchat")])
        #expect(try handshake(["chat", "superchat"]).check(head) == "superchat")
    }

    @Test(
        arguments: [
            ([("Upgrade", nil)], HandshakeRefusal.missingField("Upgrade")),
            ([("Upgrade", "h2c")], .wrongUpgrade("h2c")),
            ([("Upgrade", "websocket/13")], .wrongUpgrade("websocket/13")),
            ([("Upgrade", "websocket"), ("upgrade", "h2c")], .wrongUpgrade("websocket, h2c")),
            ([("Connection", nil)], .missingField("Connection")),
            ([("Connection", "close")], .wrongConnection("close")),
            ([("Connection", "Upgraded")], .wrongConnection("Upgraded")),
            ([("Sec-WebSocket-Accept", nil)], .missingField("Sec-WebSocket-Accept")),
            ([("Sec-WebSocket-Accept", "")], .wrongAccept("")),
            // The digest of another key, other letters' case, and the key itself.
            (
                [("Sec-WebSocket-Accept", "HSmrc0sMlYUkAGmm5OPpG2HaGWk=")],
                .wrongAccept("HSmrc0sMlYUkAGmm5OPpG2HaGWk=")
            ),
            (
                [("Sec-WebSocket-Accept", "S3PPLMBITXAQ9KYGZZHZRBK+XOO=")],
                .wrongAccept("S3PPLMBITXAQ9KYGZZHZRBK+XOO=")
            ),
            (
                [("Sec-WebSocket-Accept", "dGhlIHNhbXBsZSBub25jZQ==")],
                .wrongAccept("dGhlIHNhbXBsZSBub25jZQ==")
            ),
            (
                [
                    ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
                    ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
                ], .repeatedField("Sec-WebSocket-Accept")
            ),
            (
                [("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits=15")],
                .unknownExtension("permessage-deflate; client_max_window_bits=15")
            ),
            ([("Sec-WebSocket-Protocol", "mqtt")], .unknownSubprotocol("mqtt")),
            ([("Sec-WebSocket-Protocol", "CHAT")], .unknownSubprotocol("CHAT")),
            (
                [("Sec-WebSocket-Protocol", "chat, superchat")],
                .unknownSubprotocol("chat, superchat")
            ),
            ([("Sec-WebSocket-Protocol", "")], .unknownSubprotocol("")),
            (
                [("Sec-WebSocket-Protocol", "chat"), ("Sec-WebSocket-Protocol", "superchat")],
                .repeatedField("Sec-WebSocket-Protocol")
            ),
        ] as [([(String, String?)], HandshakeRefusal)]
    )
    func `a response that breaks a rule is refused by its name`(
        changes: [(String, String?)],
        refusal: HandshakeRefusal
    ) throws {
        let handshake = try handshake(["chat", "superchat"])
        #expect(throws: refusal) { try handshake.check(response(changes)) }
        #expect(!refusal.message.isEmpty)
    }

    @Test(arguments: [100, 200, 302, 401, 426, 500])
    func `a status other than 101 is refused even with all fields`(status: Int) throws {
        let handshake = try handshake()
        #expect(throws: HandshakeRefusal.status(status)) {
            try handshake.check(response(status: status))
        }
    }

    // §4.4
    @Test func `a server of other versions is refused with its list`() throws {
        let handshake = try handshake()
        let head = response(
            [("Sec-WebSocket-Version", "25"), ("sec-websocket-version", "8, 7")],
            status: 426
        )
        #expect(throws: HandshakeRefusal.version("25, 8, 7")) { try handshake.check(head) }
        let both = response([("Sec-WebSocket-Version", "8, 13")], status: 400)
        #expect(throws: HandshakeRefusal.status(400)) { try handshake.check(both) }
    }

    @Test func `a refusal quotes the server on one line and not without end`() {
        let refusal = HandshakeRefusal.wrongUpgrade(
            "a\u{1B}[31m\nb" + String(repeating: "c", count: 500)
        )
        #expect(refusal.message.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        #expect(refusal.message.count < 150)
    }
}
