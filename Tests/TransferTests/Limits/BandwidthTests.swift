import CurlKit
import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// Transfers whose session has `limits.bandwidth`.
@Suite struct BandwidthTests {
    private static let rate: Int64 = 1 << 20

    private func limits(down: Int64? = nil, up: Int64? = nil) -> SessionLimits {
        var limits = SessionLimits()
        limits.rates.down = down.map { .rate($0) }
        limits.rates.up = up.map { .rate($0) }
        return limits
    }

    private func seconds(of results: [AttemptResult]) throws -> Double {
        let start = try #require(results.map(\.startTime).min())
        let end = try #require(results.map(\.endTime).max())
        return Double((end - start).nanoseconds) / 1e9
    }

    private func expectFiles(_ count: Int, in folder: TemporaryFolder, _ body: [UInt8]) {
        for number in 0..<count { #expect(Fixture.read(folder.path("\(number)")) == body) }
    }

    /// A lower bound of the time only: a busy machine takes longer.
    private func expectLimited(_ results: [AttemptResult], bytes: Int, by rate: Int64) throws {
        for result in results {
            #expect(result.failure == nil, "\(result.failure?.detail ?? "")")
        }
        // The burst, and one part of the transfer that ends last, are not waited for.
        let free = Double(rate) * 0.23
        #expect(try seconds(of: results) >= (Double(bytes) - free) / Double(rate))
    }

    private func body(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index / 7) }
        return bytes
    }

    @Test(arguments: [1, 16])
    func `several downloads share one rate`(concurrentAttempts: Int) throws {
        let body = body(300_000)
        let server = try ScriptedServer { _ in .ok(body) }
        let harness = try EngineHarness(
            { $0.limits = limits(down: Self.rate) },
            maximumConcurrentAttempts: concurrentAttempts
        )
        let folder = try TemporaryFolder()
        let results = try harness.run(
            (0..<4).map { try .download(server.url("/"), to: folder.path("\($0)"), key: $0) }
        )
        expectFiles(4, in: folder, body)
        try expectLimited(results, bytes: 4 * 300_000, by: Self.rate)
        #expect(
            results.contains { $0.transactions.contains { $0.bandwidthWaitMicroseconds != nil } }
        )
    }

    @Test func `a chunked body and one that ends with its connection are limited as well`() throws {
        let body = body(250_000)
        let server = try ScriptedServer { request in
            request.path == "/chunked"
                ? .chunked(
                    stride(from: 0, to: body.count, by: 10_000).map {
                        Array(body[$0..<min($0 + 10_000, body.count)])
                    }
                )
                : .raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", then: [.send(body), .close])
        }
        let harness = try EngineHarness { $0.limits = limits(down: Self.rate) }
        let folder = try TemporaryFolder()
        let results = try harness.run([
            .download(server.url("/chunked"), to: folder.path("0"), key: 0),
            .download(server.url("/close"), to: folder.path("1"), key: 1),
        ])
        expectFiles(2, in: folder, body)
        try expectLimited(results, bytes: 500_000, by: Self.rate)
    }

    @Test(arguments: ["chunked", "close", "order"])
    func `bodies of unknown length take turns until the last one is whole`(kind: String) throws {
        let body = body(200_000)
        let chunks = stride(from: 0, to: body.count, by: 10_000).map {
            Array(body[$0..<min($0 + 10_000, body.count)])
        }
        let server = try ScriptedServer { request in
            request.path == "/close"
                ? .raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", then: [.send(body), .close])
                : .chunked(chunks)
        }
        let harness = try EngineHarness {
            $0.limits = limits(down: Self.rate)
            $0.httpMaximumConnectionsPerHost = 8
        }
        let folder = try TemporaryFolder()
        let results = try harness.run(
            (0..<8).map { key in
                var request = try AttemptRequest.download(
                    server.url("/" + kind),
                    to: folder.path("\(key)"),
                    key: key
                )
                if kind == "order" {
                    request.request.method = "POST"
                    request.body = .bytes(Array("{}".utf8))
                }
                // Only this ends a wait for bandwidth that never comes.
                request.deadline = .now + .seconds(60)
                return request
            }
        )
        expectFiles(8, in: folder, body)
        try expectLimited(results, bytes: 8 * 200_000, by: Self.rate)
    }

    @Test(arguments: [HTTPVersion.http1, .http2])
    func `downloads over TLS are limited, over streams of one connection too`(
        version: HTTPVersion
    ) throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(certificate: certificates.server, hasHTTP2: true)
        let body = body(300_000)
        try nginx.root.write(body, to: "file.bin")
        let origin = try #require(nginx.secureOrigin)
        let harness = try EngineHarness {
            $0.tls.caFile = certificates.authorityFile
            $0.httpVersion = version
            $0.httpMaximumConnectionsPerHost = 2
            $0.limits = limits(down: Self.rate)
            // A stream may wait behind another one that the runner has paused.
            $0.minimumRate = MinimumRate(bytesPerSecond: 1000, over: .seconds(2))
        }
        let folder = try TemporaryFolder()
        let results = try harness.run(
            (0..<6).map {
                try .download(origin + "/file.bin", to: folder.path("\($0)"), key: $0)
            }
        )
        expectFiles(6, in: folder, body)
        try expectLimited(results, bytes: 6 * 300_000, by: Self.rate)
    }

    @Test func `many small responses are limited together`() throws {
        let body = body(10_000)
        let server = try ScriptedServer { _ in .ok(body) }
        let harness = try EngineHarness { $0.limits = limits(down: 200_000) }
        let folder = try TemporaryFolder()
        func run(_ keys: Range<Int>) throws -> [AttemptResult] {
            try harness.run(
                keys.map { try .download(server.url("/"), to: folder.path("\($0)"), key: $0) }
            )
        }
        // The first ones begin at once, and the others when these are paid for.
        let results = try run(0..<20) + run(20..<40)
        expectFiles(40, in: folder, body)
        try expectLimited(results, bytes: 200_000, by: 200_000)
    }

    @Test(arguments: [false, true])
    func `uploads from memory and from a file share one rate`(isFile: Bool) throws {
        let body = body(400_000)
        let folder = try TemporaryFolder()
        try folder.write(body, to: "body.bin")
        let server = try ScriptedServer { _ in .ok("taken") }
        let harness = try EngineHarness { $0.limits = limits(up: Self.rate) }
        let source: BodySource = isFile ? .file(path: folder.path("body.bin")) : .bytes(body)
        let results = try harness.run(
            (0..<2).map { try .to(server.url("/\($0)"), key: $0, method: "POST", body: source) }
        )
        for result in results {
            #expect(result.transactions.first?.countOfRequestBodyBytesSent == 400_000)
            #expect(result.transactions.first?.countOfRequestBodyBytesBeforeEncoding == 400_000)
        }
        #expect(server.requests.map(\.body) == [body, body])
        try expectLimited(results, bytes: 800_000, by: Self.rate)
    }

    @Test func `the runner's own pauses are neither silence nor slowness of the server`() throws {
        let body = body(40_000)
        let server = try ScriptedServer { _ in .ok(body) }
        let harness = try EngineHarness {
            // A part of 16 KiB takes longer than the idle time.
            $0.limits = limits(down: 6_000)
            $0.minimumRate = MinimumRate(bytesPerSecond: 30_000, over: .seconds(1))
        }
        let result = try harness.run(
            .to(server.url("/")) { $0.timeoutInterval = TimeLimit(.timeoutInterval, .seconds(2)) }
        )
        #expect(result.failure == nil, "\(result.failure?.detail ?? "")")
        #expect(result.countOfBytesReceived == 40_000)
    }

    @Test func `a server that falls silent under a limit is still noticed`() throws {
        let server = try ScriptedServer([
            "/": [
                .raw(
                    "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
                    then: [.send(body(50_000)), .waitForPeerToLeave]
                )
            ]
        ])
        let harness = try EngineHarness { $0.limits = limits(down: Self.rate) }
        let result = try harness.run(
            .to(server.url("/")) {
                $0.timeoutInterval = TimeLimit(.timeoutInterval, .milliseconds(400))
            }
        )
        #expect(result.failure?.kind == .timeout)
    }

    @Test func `a transfer that waits for bandwidth can be cancelled`() throws {
        let body = body(4_000_000)
        let gate = try Gate()
        let server = try ScriptedServer([
            "/": [
                Reply([
                    .open(gate), .send(Reply.head(200, ["Content-Length: 4000000"])), .send(body),
                ])
            ]
        ])
        let harness = try EngineHarness { $0.limits = limits(down: 10_000) }
        harness.engine.start([try .to(server.url("/"))])
        try gate.wait()
        harness.engine.cancel([0])
        let result = try #require(try harness.results(1).first)
        #expect(result.failure?.kind == .cancelled)
    }

    @Test func `a response to an upload that waits for bandwidth is taken at once`() throws {
        let server = try ScriptedServer(maximumBodyRead: 1000) { _ in
            .status(413, text: "too large")
        }
        let harness = try EngineHarness { $0.limits = limits(up: 50_000) }
        let result = try harness.run(
            .to(server.url("/"), method: "POST", body: .bytes(body(2_000_000)))
        )
        #expect(result.failure != nil)
        #expect(result.endTime < result.startTime + .seconds(20))
    }

    @Test func `redirects are followed under a limit`() throws {
        let server = try ScriptedServer([
            "/": [.redirect(to: "/there")], "/there": [.ok("there")],
        ])
        let harness = try EngineHarness { $0.limits = limits(down: 1000, up: 1000) }
        let result = try harness.run(.to(server.url("/")))
        #expect(result.failure == nil, "\(result.failure?.detail ?? "")")
        #expect(result.redirectCount == 1)
    }

    @Test func `the rate of the time of day is taken again while transfers wait`() {
        var limits = limits(down: 1000)
        var night = SessionLimits.Rates()
        night.down = .unlimited
        limits.timetable = [
            .init(window: DailyWindow(start: 0, end: 60), rates: night)
        ]
        let minute = Lock(120)
        let start = MonotonicTime(nanoseconds: 0)
        let limit = BandwidthLimit(limits, now: start, minuteOfDay: { minute.withLock { $0 } })
        #expect(limit?.spend(1_000_000, .down, now: start) == false)
        let place = limit?.reserve(1000, .down, now: start)
        #expect(limit?.time(of: place ?? 0, .down, now: start) ?? start > start + .seconds(900))
        // The clock is set, and the next reading sees that.
        minute.withLock { $0 = 30 }
        let later = start + .seconds(5)
        #expect(limit?.time(of: place ?? 0, .down, now: later) == later)
        #expect(limit?.spend(1_000_000, .down, now: later) == true)
    }

    @Test func `those who wait under one rate are woken when another one begins`() {
        var limits = limits(down: 1000)
        var night = SessionLimits.Rates()
        night.down = .unlimited
        limits.timetable = [.init(window: DailyWindow(start: 0, end: 60), rates: night)]
        let minute = Lock(120)
        let start = MonotonicTime(nanoseconds: 0)
        let limit = BandwidthLimit(limits, now: start, minuteOfDay: { minute.withLock { $0 } })
        guard let pacer = limit.map(SessionPacer.init) else {
            Issue.record("the session has a limit")
            return
        }
        let pace = ExchangePace(pacer, key: 7)
        pace.didReceive(1_000_000)
        #expect(!pace.claim(1, length: nil, now: start))
        #expect(pacer.nextTime == start + .seconds(5))
        #expect(pacer.takeDue(start + .seconds(5)).isEmpty)
        minute.withLock { $0 = 30 }
        #expect(pacer.nextTime == start + .seconds(10))
        #expect(pacer.takeDue(start + .seconds(10)) == [7])
        #expect(pace.takeTurn(start + .seconds(10)).waited == .seconds(10))
    }

    @Test func `a turn that libcurl took by itself still continues a body that rests`() throws {
        let start = MonotonicTime(nanoseconds: 0)
        let limit = try #require(BandwidthLimit(limits(down: 1000), now: start))
        let pacer = SessionPacer(limit)
        let pace = ExchangePace(pacer, key: 7)
        pace.didReceive(1000)
        #expect(!pace.claim(1, length: nil, now: start))
        let due = start + .seconds(60)
        #expect(pace.claim(1, length: nil, now: due))
        #expect(pacer.takeDue(due) == [7])
        #expect(pace.takeTurn(due).continues)
        #expect(!pace.takeTurn(due).continues)
    }
}
