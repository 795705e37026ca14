import TestSupport
import Testing
import TransferModel

/// The records of whole runs: their number, order, reasons, and exactly which members are null.
@Suite struct ExchangeRecordTests {
    /// Members that are null in every record without a network policy.
    private static let unclassified: Set<String> = ["isCellular", "isExpensive", "isConstrained"]
    private static let noLookup: Set<String> = ["domainLookupStartDate", "domainLookupEndDate"]
    private static let noTLS: Set<String> = [
        "secureConnectionStartDate", "secureConnectionEndDate", "negotiatedTLSProtocolVersion",
        "negotiatedTLSCipherSuite",
    ]
    private static let noConnecting: Set<String> = [
        "connectStartDate", "connectEndDate", "secureConnectionStartDate",
        "secureConnectionEndDate",
    ]
    private static let noRequest: Set<String> = [
        "requestStartDate", "requestEndDate", "localAddress", "localPort", "connectEndDate",
    ]
    private static let noResponse: Set<String> = [
        "response", "responseStartDate", "responseEndDate", "networkProtocolName",
    ]

    /// An exchange in short: attempt, reason, status, and whether the connection was a new one.
    private func outline(_ exchange: JSONValue) -> String {
        let status = exchange["response"]?["statusCode"]?.integer.map { "\($0)" } ?? "none"
        let connection = exchange["isReusedConnection"] == .bool(true) ? "reused" : "new"
        let proxy = exchange["isProxyConnection"] == .bool(true) ? " proxied" : ""
        return
            "\(exchange["attempt"]?.integer ?? 0) \(exchange["reason"]?.string ?? "?") \(status) "
            + connection + proxy
    }

    /// The members that are null, except those that always are.
    private func nulls(_ exchange: JSONValue) -> Set<String> {
        Set(exchange.members.filter(\.value.isNull).map(\.name)).subtracting(Self.unclassified)
    }

    @Test func `redirects, a reused connection and a retry`() throws {
        let server = try ScriptedServer([
            "/a": [.redirect(to: "/b")], "/b": [.redirect(307, to: "/c")], "/c": [.ok("whole")],
            "/busy": [.unavailable(), .ok("at last")],
        ])
        let job = try JobFolder(
            """
            version: 1
            schedule: { maxConcurrentTasks: 1 }
            downloads:
              chain: { url: \(server.url("/a")), to: chain.txt }
              busy:
                url: \(server.url("/busy"))
                to: busy.txt
                needs: [chain]
                retry: { attempts: 2, backoff: { initial: 1ms } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0)
        let chain = run.exchanges("chain")
        #expect(
            chain.map(outline) == [
                "1 initial 302 new", "1 redirect 307 reused", "1 redirect 200 reused",
            ]
        )
        let reused = Self.noTLS.union(Self.noLookup).union(Self.noConnecting)
        #expect(chain.map(nulls) == [Self.noTLS.union(Self.noLookup), reused, reused])
        let busy = run.exchanges("busy")
        #expect(busy.map(outline) == ["1 initial 503 reused", "2 retry 200 new"])
        #expect(busy.map(nulls) == [reused, Self.noTLS.union(Self.noLookup)])
        let connections = (chain + busy).map { $0["extension"]?["connectionIdentifier"]?.integer }
        #expect(Set(connections.prefix(4)).count == 1)
        #expect(connections[3] != connections[4])
        #expect(run.report["summary"]?["redirects"]?.integer == 2)
        #expect(run.task("chain")?["metrics"]?["redirectCount"]?.integer == 2)
        #expect(run.task("chain")?["currentRequest"] == chain.last?["request"])
        #expect(run.task("chain")?["response"] == chain.last?["response"])
    }

    /// Answers a path with a challenge until the client authenticates; its other paths are a chain
    /// and a busy one.
    private func server() throws -> ScriptedServer {
        try ScriptedServer { request in
            switch request.path {
            case "/a": .redirect(to: "/b")
            case "/b": .redirect(307, to: "/c")
            case "/digest" where request.headers["authorization"] == nil:
                .status(401, ["WWW-Authenticate: Digest realm=\"r\", qop=\"auth\", nonce=\"n\""])
            case "/busy" where request.earlierRequestsForPath == 0: .unavailable()
            default: .ok("whole")
            }
        }
    }

    /// Five tasks, one after the other: a chain, a challenge, two through a tunnel, and one that is
    /// retried.
    private func wholeJob(
        _ server: ScriptedServer,
        _ proxy: Tinyproxy,
        _ origin: String
    ) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            schedule: { maxConcurrentTasks: 1 }
            secrets: { password: { env: PASSWORD } }
            sessions:
              plain:
                credentials:
                  - { method: digest, host: 127.0.0.1, user: me, password: "${secret.password}" }
              proxied:
                httpVersion: "1.1"
                proxy: { https: "\(proxy.url)" }
                tls: { caFile: \(try TestCertificates.shared().authorityFile) }
            defaults: { retry: { attempts: 2, backoff: { initial: 1ms } } }
            downloads:
              chain: { session: plain, url: \(server.url("/a")), to: chain.txt }
              digest: { session: plain, url: \(server.url("/digest")), to: digest.txt, needs: [chain] }
              tls: { session: proxied, url: \(origin)/file.txt, to: tls.txt, needs: [digest] }
              again: { session: proxied, url: \(origin)/file.txt, to: again.txt, needs: [tls] }
              busy: { session: plain, url: \(server.url("/busy")), to: busy.txt, needs: [again] }
            """
        )
    }

    @Test func `redirects, a challenge, a proxied TLS download, a reused connection and a retry`()
        throws
    {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(certificate: certificates.server)
        try nginx.root.write("over TLS", to: "file.txt")
        let (server, proxy) = (try server(), try Tinyproxy())
        let origin = try #require(nginx.secureOrigin)
        let job = try wholeJob(server, proxy, origin)
        let run = try job.run(environment: ["PASSWORD": "open sesame"])
        #expect(run.code == 0, "\(run.command.standardError)")
        let exchanges = ["chain", "digest", "tls", "again", "busy"].flatMap(run.exchanges)
        #expect(
            exchanges.map(outline) == [
                "1 initial 302 new", "1 redirect 307 reused", "1 redirect 200 reused",
                "1 initial 401 reused", "1 auth 200 reused",
                "1 initial 200 new proxied", "1 initial 200 reused proxied",
                "1 initial 503 reused", "2 retry 200 new",
            ]
        )
        let new = Self.noTLS.union(Self.noLookup)
        let reused = new.union(Self.noConnecting)
        let tunnel = Self.noLookup
        #expect(
            exchanges.map(nulls) == [
                new, reused, reused, reused, reused, tunnel, tunnel.union(Self.noConnecting),
                reused, new,
            ]
        )
        let connections = exchanges.map {
            $0["extension"]?["connectionIdentifier"]?.integer ?? -1
        }
        #expect(Set([0, 1, 2, 3, 4, 7].map { connections[$0] }).count == 1)
        #expect(connections[5] == connections[6])
        let proxies = exchanges.map { $0["extension"]?["proxy"]?.string }
        #expect(
            proxies.map { $0 == proxy.url } == exchanges.map { outline($0).contains("proxied") }
        )
        // The tunnel is a part of connecting, and only the record that connected has it.
        let tunnels = exchanges.map { $0["extension"]?["proxyTunnel"]?["statusCode"]?.integer }
        #expect(tunnels == [nil, nil, nil, nil, nil, 200, nil, nil, nil])
        #expect(run.report["summary"]?["redirects"]?.integer == 2)
        // A new connection follows the 503; each session counts its own.
        #expect(connections[8] != connections[7])
    }

    @Test func `a record has lookup, TLS and a refused connection`() throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(certificate: certificates.server)
        try nginx.root.write("over TLS", to: "file.txt")
        let closed = try ClosedPort()
        let origin = try #require(nginx.secureOrigin)
        let job = try JobFolder(
            """
            version: 1
            schedule: { maxConcurrentTasks: 1 }
            sessions: { s: { urlCache: none, tls: { caFile: \(certificates.authorityFile) } } }
            data:
              new: { url: \(origin)/file.txt }
              again: { url: \(origin)/file.txt, needs: [new] }
              refused: { url: \(closed.origin)/, retry: { attempts: 1 } }
            """
        )
        let run = try job.run()
        let exchanges = ["new", "again", "refused"].flatMap(run.exchanges)
        #expect(
            exchanges.map(outline) == [
                "1 initial 200 new", "1 initial 200 reused", "1 initial none new",
            ]
        )
        let refused = Self.noTLS.union(Self.noLookup).union(Self.noRequest).union(Self.noResponse)
            .union(["remoteAddress", "remotePort"])
        #expect(exchanges.map(nulls) == [[], Self.noConnecting.union(Self.noLookup), refused])
        #expect(exchanges[2]["extension"]?["osErrno"]?.integer == 111)
    }

    @Test func `a request that libcurl repeats by itself`() throws {
        let server = try ScriptedServer(["/warm": [.ok("x")], "/": [.hangUp, .ok("y")]])
        let job = try JobFolder(
            """
            version: 1
            schedule: { maxConcurrentTasks: 1 }
            data:
              warm: { url: \(server.url("/warm")) }
              again: { url: \(server.url("/")), needs: [warm], retry: { attempts: 1 } }
            """
        )
        let run = try job.run()
        let exchanges = run.exchanges("again")
        #expect(
            exchanges.map(outline) == ["1 initial none reused", "1 transparentRetry 200 new"]
        )
        let fresh = Self.noTLS.union(Self.noLookup)
        #expect(
            exchanges.map(nulls) == [
                fresh.union(Self.noConnecting).union(Self.noResponse), fresh,
            ]
        )
    }

    /// The job has a connection that the server closes when it has read the next request.
    private func order(_ settings: String) throws -> (ScriptedServer, RunOutcome) {
        let server = try ScriptedServer([
            "/warm": [.ok("x")], "/orders": [.hangUp, .status(201)],
        ])
        let job = try JobFolder(
            """
            version: 1
            schedule: { maxConcurrentTasks: 1 }
            data:
              warm: { url: \(server.url("/warm")) }
            uploads:
              order: { url: \(server.url("/orders")), needs: [warm], json: { id: 1 }\(settings) }
            """
        )
        return (server, try job.run())
    }

    // Fixture 1 of the measured ones.
    @Test func `an order on a connection that dies arrives once`() throws {
        let (server, run) = try order(", retry: { attempts: 5, backoff: { initial: 1ms } }")
        #expect(run.code == 1)
        #expect(server.requests(for: "/orders").count == 1)
        #expect(run.exchanges("order").map(outline) == ["1 initial none new"])
        let error = run.task("order")?["error"]
        #expect(error?["message"]?.string?.contains("outcome unknown") == true)
        #expect(error?["retryable"] == .bool(false))
    }

    @Test func `an order with a key may arrive again under the same key`() throws {
        let settings =
            ", idempotencyKey: order-1, retry: { attempts: 5, backoff: { initial: 1ms } }"
        let (server, run) = try order(settings)
        #expect(run.code == 0)
        let keys = server.requests(for: "/orders").map { $0.headers["idempotency-key"] }
        #expect(keys == ["\"order-1\"", "\"order-1\""])
        #expect(
            run.exchanges("order").map(outline) == [
                "1 initial none reused", "1 transparentRetry 201 new",
            ]
        )
    }

    @Test func `timeoutIntervalForResource covers all attempts and waits`() throws {
        let server = try ScriptedServer(["/": [.status(503)]])
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { timeoutIntervalForResource: 5s } }
            data:
              a:
                url: \(server.url("/"))
                retry: { attempts: 1000, backoff: { initial: 700ms, factor: 1, jitter: none } }
            """
        )
        let run = try job.run()
        #expect(run.code == 5)
        let attempts = run.attempts("a").count
        #expect(attempts > 1 && attempts <= 8, "\(attempts)")
    }
}
