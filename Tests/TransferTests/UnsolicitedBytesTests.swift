import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

// RFC 9112 §6.3: bytes on a connection without a request belong to no response.
@Suite struct UnsolicitedBytesTests {
    private static let largeBody = [UInt8](repeating: 0x61, count: 100_000)

    /// How a session reaches the server.
    enum Way: CaseIterable {
        case direct, tls, proxy, tlsProxy, tunnel, tlsProxyTunnel
    }

    /// The response that precedes the unsolicited bytes on its connection.
    enum First: String, CaseIterable {
        case whole, large, empty, chunked, largeChunked, head

        var method: String { self == .head ? "HEAD" : "GET" }

        fileprivate var bytes: [UInt8] {
            func length(_ body: [UInt8]) -> [UInt8] {
                Reply.head(200, ["Content-Length: \(body.count)"]) + body
            }
            func chunks(_ body: [UInt8]) -> [UInt8] {
                Reply.head(200, ["Transfer-Encoding: chunked"])
                    + Array("\(String(body.count, radix: 16))\r\n".utf8) + body
                    + Array("\r\n0\r\n\r\n".utf8)
            }
            return switch self {
            case .whole: length([0x61])
            case .large: length(UnsolicitedBytesTests.largeBody)
            case .empty: Reply.head(204, [])
            case .chunked: chunks([0x61])
            case .largeChunked: chunks(UnsolicitedBytesTests.largeBody)
            case .head: Reply.head(200, ["Content-Length: 7"])
            }
        }
    }

    /// The unsolicited bytes.
    private static let extras: [String: [UInt8]] = [
        "response": Reply.head(
            200,
            ["Content-Length: 7", "Content-Type: text/plain", "Cache-Control: max-age=1000"]
        ) + Array("foreign".utf8),
        "408": Reply.head(408, ["Content-Length: 0", "Connection: close"]),
        "garbage": (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) },
        "byte": [0x48],
    ]

    /// A server and the way to it.
    private final class Route {
        let server: ScriptedServer
        let origin: String
        /// Where the session's sockets are connected to.
        let port: UInt16
        let harness: EngineHarness
        private let folder: TemporaryFolder
        private let relay: TLSRelay?
        private let squid: Squid?

        init(_ way: Way, _ answer: @escaping @Sendable (RecordedRequest) -> Reply) throws {
            let certificates = try TestCertificates.shared()
            let server = try ScriptedServer(answer: answer)
            let folder = try TemporaryFolder()
            let speaksTLS = way != .direct && way != .proxy
            let relay =
                speaksTLS ? try TLSRelay(to: server.port, certificate: certificates.server) : nil
            let squid: Squid? =
                switch way {
                case .tunnel: try Squid()
                case .tlsProxyTunnel: try Squid(certificate: certificates.server)
                case .direct, .tls, .proxy, .tlsProxy: nil
                }
            // An address, or proxies would try the other version of IP first.
            let secure = relay.map { "https://127.0.0.1:\($0.port)" }
            let proxy: (kind: ProxyServer.Kind, port: UInt16?)? =
                switch way {
                case .direct, .tls: nil
                case .proxy: (.http, server.port)
                case .tlsProxy: (.https, relay?.port)
                case .tunnel: (.http, squid?.port)
                case .tlsProxyTunnel: (.https, squid?.port)
                }
            var servers = ProxyServers()
            servers.http = proxy.map {
                ProxyServer(kind: $0.kind, host: "127.0.0.1", port: Int($0.port ?? 0))
            }
            servers.https = servers.http
            origin =
                way == .proxy || way == .tlsProxy ? "http://origin.test" : secure ?? server.origin
            port = squid?.port ?? relay?.port ?? server.port
            harness = try EngineHarness(
                {
                    $0.tls.caFile = certificates.authorityFile
                    $0.proxy = .servers(servers)
                },
                cache: .roomy(in: folder)
            )
            (self.server, self.folder, self.relay, self.squid) = (server, folder, relay, squid)
        }

        /// The possible requests after the first one, with the path of the file that they make, if
        /// any.
        func seconds(_ name: String) throws -> [(request: AttemptRequest, file: String?)] {
            let url = origin + "/second/" + name
            let key = HeaderField(name: "Idempotency-Key", value: "\"k\"")
            let (plain, cached) = (folder.path(name + ".plain"), folder.path(name + ".cached"))
            return [
                (try .to(url + "/get"), nil),
                (
                    try .to(
                        url + "/post",
                        method: "POST",
                        headers: [key],
                        body: .bytes(Array("order".utf8))
                    ), nil
                ),
                (try .download(url + "/download", to: plain), plain),
                (
                    try .cached(url + "/cached", method: "GET", headers: [], as: cached) { _ in },
                    cached
                ),
            ]
        }
    }

    @Test(arguments: Way.allCases)
    func `bytes before a request are not its response`(way: Way) throws {
        let gates = Lock<[String: (done: Gate, sent: Gate)]>([:])
        let route = try Route(way) { request in
            guard let (first, extra) = Self.first(of: request.path) else {
                return .status(500, text: "real")
            }
            guard let (done, sent) = gates.withLock({ $0[request.path.withoutOrigin] }) else {
                return Reply([.send(first.bytes + extra)])
            }
            return Reply([.send(first.bytes), .wait(done), .send(extra), .open(sent)])
        }
        // All requests the direct way; one for each case, in turn, over the others.
        var turn = 0
        for first in First.allCases {
            turn += 1
            for extra in Self.extras.keys.sorted() {
                for time in ["together", "later"] {
                    turn += 1
                    let name = "\(first.rawValue)-\(extra)-\(time)"
                    for (index, second) in try route.seconds(name).enumerated()
                    where way == .direct || index == turn % 4 {
                        let path = "/first/\(first.rawValue)/\(extra)/\(time)\(index)"
                        let (done, sent) = (try Gate(), try Gate())
                        if time == "later" { gates.withLock { $0[path] = (done, sent) } }
                        let url = route.origin + path
                        let warm = try route.harness.run(.to(url, method: first.method))
                        #expect(warm.failure == nil, "\(name)")
                        if time == "later" {
                            done.open()
                            try sent.wait()
                            try ConnectionTable.waitForUnread(from: route.port)
                        }
                        try expectOwnAnswer(to: second, by: route, "\(name) \(index)")
                    }
                }
            }
        }
    }

    /// The first reply for a path, and the bytes sent behind it; nil for a path of the second
    /// request.
    private static func first(of path: String) -> (First, extra: [UInt8])? {
        let words = path.withoutOrigin.split(separator: "/").map(String.init)
        guard words.count == 4, words[0] == "first", let first = First(rawValue: words[1]) else {
            return nil
        }
        return (first, extras[words[2]] ?? [])
    }

    /// Expects the answer that the server has for the request, of which there is one exchange over
    /// a new connection.
    private func expectOwnAnswer(
        to second: (request: AttemptRequest, file: String?),
        by route: Route,
        _ comment: Comment
    ) throws {
        let result = try route.harness.run(second.request)
        #expect(result.failure?.httpStatus == 500, comment)
        #expect(result.transactions.map(\.reason) == [.initial], comment)
        #expect(result.transactions.last?.isReusedConnection == false, comment)
        let path = second.request.request.url.path
        let arrivals = route.server.requests.count { $0.path.withoutOrigin == path }
        #expect(arrivals == 1, comment)
        if let file = second.file { #expect(Fixture.read(file) == nil, comment) }
    }

    @Test(arguments: Way.allCases)
    func `a connection that is merely idle is used again`(way: Way) throws {
        let route = try Route(way) { request in
            guard let (first, _) = Self.first(of: request.path) else { return .ok("real") }
            return Reply([.send(first.bytes)])
        }
        let firsts = try First.allCases.map {
            try route.harness.run(
                .to(route.origin + "/first/\($0.rawValue)/none/0", method: $0.method)
            )
        }
        let second = try route.harness.run(.to(route.origin + "/second"))
        let results = firsts + [second]
        #expect(results.allSatisfy { $0.failure == nil })
        let reuses = results.flatMap(\.transactions).map(\.isReusedConnection)
        #expect(reuses == [false] + First.allCases.map { _ in true })
        #expect(Set(route.server.requests.map(\.connection)).count == 1)
    }

    @Test func `a TLS session ticket behind a response costs no request`() throws {
        let certificates = try TestCertificates.shared()
        let server = try TLSScript(.tickets, certificate: certificates.server)
        let harness = try EngineHarness { $0.tls.caFile = certificates.authorityFile }
        for number in 1...3 {
            let result = try harness.run(.to("https://localhost:\(server.port)/\(number)"))
            #expect(result.failure == nil)
            #expect(result.countOfBytesReceived == 4)
            #expect(result.transactions.map(\.reason) == [.initial])
            if number < 3 { try ConnectionTable.waitForUnread(from: server.port) }
        }
    }

    @Test func `a connection that its server has closed is not used again`() throws {
        let gate = try Gate()
        let server = try ScriptedServer { request in
            request.path == "/first" ? .ok("x") + [.open(gate), .close] : .ok("y")
        }
        let harness = try EngineHarness()
        _ = try harness.run(.to(server.url("/first")))
        try gate.wait()
        try ConnectionTable.waitForUnread(from: server.port)
        let second = try harness.run(.to(server.url("/second")))
        #expect(second.failure == nil)
        #expect(second.transactions.map(\.reason) == [.initial])
        #expect(server.requests.count == 2)
    }

    @Test func `bytes after a challenge are not the response to the next request`() throws {
        let server = try ScriptedServer { request in
            if request.headers["authorization"] != nil { return .ok("real") }
            let challenge = "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\""
            let body = Array("who are you?".utf8)
            let head = Reply.head(401, [challenge, "Content-Length: \(body.count)"])
            return Reply([.send(head + body + (Self.extras["response"] ?? []))])
        }
        let space = ProtectionSpace(scope: .origin(try TransferURL(server.origin).origin))
        let login = Login(user: "me", password: Secret("open sesame"))
        let harness = try EngineHarness {
            $0.credentials = [Credential(space: space, proof: .digest(login))]
        }
        for method in ["GET", "POST"] {
            let body: BodySource? = method == "POST" ? .bytes([1]) : nil
            let result = try harness.run(.to(server.url("/"), method: method, body: body))
            #expect(result.failure == nil)
            #expect(result.countOfBytesReceived == 4)
        }
        let proven = server.requests.filter { $0.headers["authorization"] != nil }
        #expect(proven.map(\.method) == ["GET", "POST"])
    }
}

extension String {
    /// The path of a target that may be a whole URL, as a proxy is asked.
    fileprivate var withoutOrigin: String {
        guard let scheme = firstRange(of: "://") else { return self }
        return self[scheme.upperBound...].firstIndex(of: "/").map { String(self[$0...]) } ?? "/"
    }
}
