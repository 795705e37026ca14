import Testing
import TransferModel

@Suite struct ProxyChoiceTests {
    private func server(_ kind: ProxyServer.Kind, _ host: String, _ port: Int) -> ProxyChoice {
        .server(ProxyServer(kind: kind, host: host, port: port))
    }

    @Test func `the words of browsers name proxies, with their usual ports`() throws {
        let choices = try ProxyChoice.all(
            in: " PROXY a.test:3128 ;HTTPS B.test; socks c.test:9 ; SOCKS5 [::1]:1081; HTTP d.test;"
                + "SOCKS4 e.test; DIRECT "
        )
        #expect(
            choices == [
                server(.http, "a.test", 3128), server(.https, "b.test", 443),
                server(.socks4, "c.test", 9), server(.socks5h, "[::1]", 1081),
                server(.http, "d.test", 80), server(.socks4, "e.test", 1080), .direct,
            ]
        )
    }

    @Test(arguments: ["", " ; ", "null", "DIRECT", "direct;DIRECT"])
    func `no proxy is a direct connection`(answer: String) throws {
        #expect(try ProxyChoice.all(in: answer) == [.direct])
    }

    @Test(arguments: [
        "undefined", "PROXY", "PROXY :3128", "PROXY a:99999", "QUIC a:1", "DIRECT a:1",
        "[object Object]",
        "PROXY http://a:1", "PROXY user@a:1", "PROXY a:1/path", "PROXY a:1 b:2", "\u{1B}[2J",
    ])
    func `an answer without a way is a failure and no direct connection`(answer: String) {
        #expect(throws: ProxyChoiceFault.self) { try ProxyChoice.all(in: answer) }
    }

    @Test func `unknown words beside others are passed over`() throws {
        #expect(
            try ProxyChoice.all(in: "QUIC a:1; PROXY b:2; PROXY b:2")
                == [server(.http, "b", 2)]
        )
    }

    @Test func `an answer names sixteen ways at most`() throws {
        let answer = (1...100).map { "PROXY a:\($0)" }.joined(separator: ";")
        #expect(try ProxyChoice.all(in: answer).count == 16)
    }
}
