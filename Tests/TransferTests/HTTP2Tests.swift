import CurlKit
import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// HTTP/2 with nginx.
///
/// With libcurl before 8.0, which uses it only on demand, requests with a body go over HTTP/1.1.
@Suite struct HTTP2Tests {
    private let nginx: Nginx
    private let certificates: TestCertificates
    private let isSafe: Bool
    private let origin: String

    init() throws {
        certificates = try TestCertificates.shared()
        nginx = try Nginx(
            certificate: certificates.server,
            hasHTTP2: true,
            locations: """
                location /gzip/ {
                    rewrite ^/gzip(/.*)$ $1 break;
                    gzip on;
                    gzip_types text/plain;
                    gzip_min_length 1;
                }
                """
        )
        isSafe = try CurlLibrary.load().isHTTP2Safe
        origin = try #require(nginx.secureOrigin)
        try nginx.root.write("hello", to: "file.txt")
    }

    private func harness(
        _ configure: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> EngineHarness {
        let authority = certificates.authorityFile
        let version = isSafe ? HTTPVersion.automatic : .http2
        return try EngineHarness { session in
            session.tls.caFile = authority
            session.httpVersion = version
            configure(&session)
        }
    }

    /// The version that both sides choose for requests with a body.
    private var chosenForBodies: String { isSafe ? "h2" : "http/1.1" }

    @Test func `a session offers HTTP/2 by default from libcurl 8 on`() throws {
        let result = try harness { $0.httpVersion = .automatic }.run(.to(origin + "/file.txt"))
        #expect(result.failure == nil)
        let exchange = try #require(result.transactions.first)
        #expect(exchange.networkProtocolName == (isSafe ? "h2" : "http/1.1"))
        #expect(exchange.negotiatedTLSProtocolVersion != nil)
        #expect(exchange.countOfResponseBodyBytesAfterDecoding == 5)
        #expect(exchange.countOfResponseBodyBytesReceived == 5)
        #expect(exchange.countOfRequestHeaderBytesSent > 0)
        #expect(exchange.countOfResponseHeaderBytesReceived > 0)
        #expect(!exchange.request.headers.isEmpty)
        #expect(result.response?.fields["content-type"] == "text/plain")
        #expect(result.voucher == .length)
    }

    @Test(arguments: ["GET", "HEAD"])
    func `a session may demand HTTP/2 of any libcurl`(method: String) throws {
        let harness = try harness { $0.httpVersion = .http2 }
        let result = try harness.run(.to(origin + "/file.txt", method: method))
        #expect(result.failure == nil)
        #expect(result.transactions.map(\.networkProtocolName) == ["h2"])
        #expect(result.voucher == .length)
    }

    @Test func `a session may keep to 1.1`() throws {
        let result = try harness { $0.httpVersion = .http1 }.run(.to(origin + "/file.txt"))
        #expect(result.transactions.first?.networkProtocolName == "http/1.1")
    }

    @Test func `a server without HTTP/2 gets HTTP/1.1`() throws {
        let plain = try Nginx(certificate: certificates.server)
        try plain.root.write("hello", to: "file.txt")
        let url = try #require(plain.secureOrigin) + "/file.txt"
        let results = try harness().run((0..<8).map { try .to(url, key: $0) })
        for result in results {
            #expect(result.failure == nil)
            #expect(result.transactions.first?.networkProtocolName == "http/1.1")
        }
    }

    @Test func `many tasks share a connection for each engine thread`() throws {
        let attempts = try (0..<40).map { try AttemptRequest.to(origin + "/file.txt", key: $0) }
        let results = try harness { $0.httpMaximumConnectionsPerHost = 4 }.run(attempts)
        #expect(results.allSatisfy { $0.failure == nil })
        let exchanges = results.flatMap(\.transactions)
        #expect(exchanges.count == 40)
        let connections = Set(exchanges.map(\.connectionIdentifier))
        #expect(connections.count <= 2)
        // The exchange that opens a connection has its dates.
        #expect(exchanges.count { !$0.isReusedConnection } == connections.count)
        for exchange in exchanges where exchange.isReusedConnection {
            #expect(exchange.connectStartDate == nil)
            #expect(exchange.secureConnectionStartDate == nil)
            #expect(exchange.negotiatedTLSProtocolVersion != nil)
        }
    }

    @Test func `a request that must not be sent twice shares no connection`() throws {
        let order = try AttemptRequest.to(
            origin + "/orders",
            method: "POST",
            body: .bytes(Array("one".utf8))
        ) { $0.requiresFreshConnection = true }
        let keyed = try AttemptRequest.to(
            origin + "/orders",
            key: 1,
            method: "POST",
            headers: [HeaderField(name: "Idempotency-Key", value: "\"a\"")],
            body: .bytes(Array("two".utf8))
        )
        let results = try harness().run([order, keyed])
        #expect(results.map(\.response?.statusCode) == [201, 201])
        #expect(results[0].transactions.first?.networkProtocolName == "http/1.1")
        #expect(results[1].transactions.first?.networkProtocolName == chosenForBodies)
        #expect(results[1].transactions.first?.countOfRequestBodyBytesSent == 3)
        #expect(try nginx.requests().map(\.body).sorted { $0.count < $1.count }.count == 2)
    }

    @Test(arguments: [false, true])
    func `a repeatable body is sent once if a challenge is expected`(
        isStream: Bool
    ) throws {
        let body: BodySource =
            isStream
            ? .command(["seq", "2000"], folder: "/") : .bytes(Array(repeating: 65, count: 50_000))
        let users = try TemporaryFolder()
        let file = try users.write("me:{SHA}W8r/fyL/UzygmbNAjq2HbA67qac=\n", to: "users")
        let nginx = try Nginx(
            certificate: certificates.server,
            hasHTTP2: true,
            locations: """
                location /protected/ {
                    auth_basic Orders;
                    auth_basic_user_file \(file);
                    try_files /none /orders;
                }
                """
        )
        let origin = try #require(nginx.secureOrigin)
        let harness = try harness {
            $0.credentials = [
                Credential(
                    space: .init(scope: .host("localhost"), realm: "Orders"),
                    proof: .basic(Login(user: "me", password: Secret("open sesame")))
                )
            ]
        }
        let upload = try AttemptRequest.to(origin + "/protected/x", method: "PUT", body: body)
        let result = try harness.run(upload)
        #expect(result.failure == nil)
        let exchanges = result.transactions
        #expect(exchanges.map(\.reason) == [.initial, .authentication])
        #expect(exchanges.compactMap(\.response?.statusCode) == [401, 201])
        #expect(exchanges.first?.countOfRequestBodyBytesSent == 0)
        #expect(exchanges.first?.request.headers["expect"] == "100-continue")
        #expect(exchanges.last?.networkProtocolName == chosenForBodies)
    }

    @Test func `a streamed body without a length ends as a stream does`() throws {
        let command = BodySource.command(["printf", "0123456789"], folder: "/")
        let upload = try AttemptRequest.to(origin + "/orders", method: "PUT", body: command)
        let result = try harness().run(upload)
        #expect(result.failure == nil)
        #expect(result.transactions.first?.networkProtocolName == chosenForBodies)
        #expect(result.countOfBytesSent >= 10)
        #expect(try nginx.requests().last?.body == Array("0123456789".utf8))
    }

    @Test func `a coded body has honest sizes`() throws {
        let text = String(repeating: "all work and no play ", count: 500)
        try nginx.root.write(text, to: "coded.txt")
        let folder = try TemporaryFolder()
        var attempt = try AttemptRequest.download(
            origin + "/gzip/coded.txt",
            to: folder.path("coded.txt")
        )
        attempt.decodesBody = true
        let result = try harness().run(attempt)
        #expect(result.failure == nil)
        #expect(result.transactions.first?.networkProtocolName == "h2")
        // nginx does not know the length of what it codes.
        let exchange = try #require(result.transactions.last)
        #expect(exchange.networkProtocolName == (isSafe ? "h2" : "http/1.1"))
        #expect(try folder.text("coded.txt") == text)
        #expect(exchange.countOfResponseBodyBytesAfterDecoding == Int64(text.utf8.count))
        #expect(exchange.countOfResponseBodyBytesReceived < 1000)
        #expect(exchange.countOfResponseBodyBytesReceived > 0)
        #expect(result.countOfBytesReceived <= exchange.countOfResponseBodyBytesReceived)
    }

    // RFC 9113 §8.1, as far as libcurl tells it.
    @Test func `a length vouches for a stream, its end does not`() throws {
        let chunks = "5\r\nhello\r\n0\r\n\r\n"
        let origin = try ScriptedServer([
            "/file": Array(
                repeating: Reply([
                    .send(Reply.head(200, ["Transfer-Encoding: chunked"]) + Array(chunks.utf8))
                ]),
                count: 2
            )
        ])
        let front = try Nginx(
            certificate: certificates.server,
            hasHTTP2: true,
            locations: """
                location = /file { proxy_pass \(origin.url("/file")); proxy_http_version 1.1; }
                """
        )
        let url = try #require(front.secureOrigin) + "/file"
        let result = try harness().run(.to(url))
        #expect(result.failure == nil)
        #expect(result.countOfBytesReceived == 5)
        #expect(result.transactions.first?.networkProtocolName == "h2")
        #expect(result.transactions.count == (isSafe ? 1 : 2))
        #expect(result.voucher == (isSafe ? BodyVoucher.none : .length))
    }

    @Test func `a digest of the server or the job vouches for a stream`() throws {
        let digest = "RK/5qy6MXBSVnoM8Pv3gE+LAMZhxtBM1TVH9lGN2GAs="
        let hello = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
        let chunks = "5\r\nhello\r\n0\r\n\r\n"
        let body = Array(chunks.utf8)
        let origin = try ScriptedServer([
            "/digest": [
                Reply([
                    .send(
                        Reply.head(
                            200,
                            ["Transfer-Encoding: chunked", "Repr-Digest: sha-256=:\(hello):"]
                        ) + body
                    )
                ])
            ],
            "/wrong": [
                Reply([
                    .send(
                        Reply.head(
                            200,
                            ["Transfer-Encoding: chunked", "Repr-Digest: sha-256=:\(digest):"]
                        ) + body
                    )
                ])
            ],
        ])
        let front = try Nginx(
            certificate: certificates.server,
            hasHTTP2: true,
            locations: """
                location = /digest { proxy_pass \(origin.url("/digest")); proxy_http_version 1.1; }
                location = /wrong { proxy_pass \(origin.url("/wrong")); proxy_http_version 1.1; }
                """
        )
        let folder = try TemporaryFolder()
        let base = try #require(front.secureOrigin)
        let results = try harness().run([
            .download(base + "/digest", to: folder.path("right")),
            .download(base + "/wrong", to: folder.path("wrong"), key: 1),
        ])
        #expect(results.map(\.failure?.kind) == [nil, .integrity])
        #expect(results.map(\.voucher) == [.digest, BodyVoucher.none])
        #expect(results.allSatisfy { $0.transactions.map(\.networkProtocolName) == ["h2"] })
        #expect(try folder.list() == ["right"])
    }

    /// nginx breaks the stream off when the server behind it does.
    @Test(arguments: ["Content-Length: 100000", "Transfer-Encoding: chunked"])
    func `a body that breaks off is truncated, with or without a length`(framing: String) throws {
        let piece = [UInt8](repeating: 7, count: 4096)
        let isChunked = framing.hasSuffix("chunked")
        let chunk = Array("1000\r\n".utf8) + piece + [13, 10]
        let origin = try ScriptedServer([
            "/file": Array(
                repeating: Reply([
                    .send(Reply.head(200, [framing]) + (isChunked ? chunk : piece)), .close,
                ]),
                count: 2
            )
        ])
        let front = try Nginx(
            certificate: certificates.server,
            hasHTTP2: true,
            locations: """
                location = /file {
                    proxy_pass \(origin.url("/file"));
                    proxy_http_version 1.1;
                    proxy_buffering off;
                }
                """
        )
        let folder = try TemporaryFolder()
        let url = try #require(front.secureOrigin) + "/file"
        let result = try harness().run(.download(url, to: folder.path("file")))
        #expect(result.failure?.kind == .truncated)
        #expect(result.failure?.isPermanent == false)
        let exchange = try #require(result.transactions.last)
        #expect(result.transactions.first?.networkProtocolName == "h2")
        #expect(exchange.networkProtocolName == (isSafe || !isChunked ? "h2" : "http/1.1"))
        #expect(exchange.responseStartDate != nil)
        #expect(exchange.responseEndDate == nil)
        #expect(try folder.list().isEmpty)
    }

    @Test func `a version that libcurl lacks keeps the engine from starting`() throws {
        let library = try CurlLibrary.load()
        guard !library.hasHTTP3 else {
            _ = try harness { $0.httpVersion = .http3 }
            return
        }
        let failure = #expect(throws: Engine.StartFailure.self) {
            try harness { $0.httpVersion = .http3 }
        }
        #expect(failure?.message.contains("is built without HTTP/3") == true)
    }

    /// Requests that use HTTP/1.1 although their session has HTTP/2, sent to a server that has only
    /// HTTP/2.
    @Test(arguments: [HTTPVersion.automatic, .http2])
    func `a server without HTTP/1.1 gets orders and resumable uploads too`(
        version: HTTPVersion
    ) throws {
        guard isSafe else { return }
        let server = try HTTP2Server(.take, certificate: certificates.server)
        let harness = try harness { $0.httpVersion = version }
        let folder = try TemporaryFolder()
        let large = try folder.write([UInt8](repeating: 7, count: 2 << 20), to: "large")
        let order = try harness.run(
            .to(server.url, method: "POST", body: .bytes(Array("order".utf8))) {
                $0.requiresFreshConnection = true
            }
        )
        let upload = try harness.run(
            .to(server.url, key: 1, method: "PUT", body: .file(path: large)) {
                $0.upload = .init(id: "large", isKept: false)
            }
        )
        for result in [order, upload] {
            #expect(result.failure == nil, "\(result.failure?.detail ?? "")")
            #expect(result.transactions.last?.networkProtocolName == "h2")
            // Nothing of it left over the connection that was given up.
            #expect(result.transactions.dropLast().allSatisfy { $0.requestStartDate == nil })
        }
        #expect(order.countOfBytesSent == 5)
        #expect(upload.countOfBytesSent == 2 << 20)
    }

    @Test func `libcurl 7 sends no order to a server without HTTP/1.1`() throws {
        guard !isSafe else { return }
        let server = try HTTP2Server(.take, certificate: certificates.server)
        let order = try AttemptRequest.to(
            server.url,
            method: "POST",
            headers: [HeaderField(name: "Idempotency-Key", value: "\"a\"")],
            body: .bytes(Array("order".utf8))
        )
        let result = try harness().run(order)
        #expect(result.failure?.help?.contains("speaks only HTTP/2") == true)
        #expect(result.transactions.map(\.response).allSatisfy { $0 == nil })
    }

    @Test func `a body without a length is fetched again beside a host's only stream connection`()
        throws
    {
        let chunks = "5\r\nhello\r\n0\r\n\r\n"
        let origin = try ScriptedServer([
            "/chunks": Array(
                repeating: Reply([
                    .send(Reply.head(200, ["Transfer-Encoding: chunked"]) + Array(chunks.utf8))
                ]),
                count: 40
            )
        ])
        let front = try Nginx(
            certificate: certificates.server,
            hasHTTP2: true,
            locations: """
                location = /chunks { proxy_pass \(origin.url("/chunks")); proxy_http_version 1.1; }
                """
        )
        try front.root.write("hello", to: "file.txt")
        let base = try #require(front.secureOrigin)
        let attempts = try (0..<40).map {
            try AttemptRequest.to(base + ($0 % 2 == 0 ? "/chunks" : "/file.txt"), key: $0)
        }
        let results = try harness { $0.httpMaximumConnectionsPerHost = 1 }.run(attempts)
        #expect(results.compactMap(\.failure) == [])
        #expect(results.allSatisfy { $0.countOfBytesReceived == 5 })
        // Requests that begin later may find the connection of HTTP/1.1 free, and use that.
        let names = results.map { $0.transactions.map(\.networkProtocolName) }
        let expected = isSafe ? ["h2"] : ["h2", "http/1.1"]
        #expect(names.contains(expected))
        for (index, names) in names.enumerated() {
            #expect(names == expected || names == ["http/1.1"] || index % 2 == 1 && names == ["h2"])
        }
    }

    @Test func `a server without HTTP/1.1 is named as such if only 1.1 is offered`() throws {
        let server = try HTTP2Server(.take, certificate: certificates.server)
        let result = try harness { $0.httpVersion = .http1 }.run(.to(server.url))
        #expect(result.failure?.kind == .reset)
        #expect(result.failure?.help?.contains("speaks only HTTP/2") == true)
    }
}
