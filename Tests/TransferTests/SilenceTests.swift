import CurlKit
import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// Events that count as silence, and events that do not.
@Suite struct SilenceTests {
    private static let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)

    @Test func `a head that comes byte by byte is no silence`() throws {
        let server = try ScriptedServer([
            "/": [Reply([.drip(Self.answer, every: .milliseconds(60))])]
        ])
        let result = try EngineHarness().run(
            .to(server.url("/")) { $0.timeoutInterval = TimeLimit(.timeoutInterval, .seconds(2)) }
        )
        #expect(result.failure == nil, "\(result.failure?.detail ?? "")")
    }

    @Test func `a head that stops in a line is silence`() throws {
        let server = try ScriptedServer([
            "/": [Reply([.send(Array(Self.answer.prefix(12))), .waitForPeerToLeave])]
        ])
        let result = try EngineHarness().run(
            .to(server.url("/")) {
                $0.timeoutInterval = TimeLimit(.timeoutInterval, .milliseconds(400))
            }
        )
        #expect(result.failure?.kind == .timeout)
    }

    @Test func `the bytes of a plain body count towards the minimum rate`() throws {
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 80\r\n\r\n".utf8)
        let server = try ScriptedServer([
            "/": [
                Reply([
                    .send(head),
                    .drip([UInt8](repeating: 97, count: 80), every: .milliseconds(50)),
                ])
            ]
        ])
        let harness = try EngineHarness {
            $0.minimumRate = MinimumRate(bytesPerSecond: 2, over: .seconds(3))
        }
        let result = try harness.run(.to(server.url("/")))
        #expect(result.failure == nil, "\(result.failure?.detail ?? "")")
    }

    // MARK: The watch

    private func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    private func watch() -> ActivityWatch {
        var watch = ActivityWatch(
            idleLimit: .seconds(4),
            minimumRate: nil,
            deadline: nil,
            now: time(0)
        )
        watch.didBegin(at: time(0))
        return watch
    }

    private func progress(
        received: Int64 = 100_000,
        acknowledged: Int64 = 100_000,
        bytes: UInt64 = 0
    ) -> SocketProgress {
        SocketProgress(
            sinceReceived: .milliseconds(received),
            sinceAcknowledged: .milliseconds(acknowledged),
            acknowledgedBytes: bytes
        )
    }

    @Test func `the kernel is asked after a quarter of the time, and not before`() {
        var watch = watch()
        #expect(watch.nextCheck == time(1000))
        var isAsked = false
        let verdict = watch.check(at: time(999)) {
            isAsked = true
            return nil
        }
        #expect(verdict == nil && !isAsked)
    }

    @Test func `bytes that libcurl still holds end a silence at their arrival`() {
        var watch = watch()
        #expect(watch.check(at: time(3000)) { progress(received: 500) } == nil)
        // It came at 2500.
        #expect(watch.check(at: time(6499)) { progress(received: 3999) } == nil)
        #expect(watch.check(at: time(6500)) { progress(received: 4000) } == .idle)
    }

    @Test func `acknowledged bytes end a silence, other packets of the peer do not`() {
        var watch = watch()
        for second in 1...6 {
            let now = time(Int64(second) * 1000)
            #expect(watch.check(at: now) { progress(bytes: UInt64(second)) } == nil)
        }
        // From 6000 on it only says that it has no room.
        for second in 7...9 {
            let now = time(Int64(second) * 1000)
            #expect(watch.check(at: now) { progress(acknowledged: 0, bytes: 6) } == nil)
        }
        #expect(watch.check(at: time(10_000)) { progress(acknowledged: 0, bytes: 6) } == .idle)
    }

    @Test func `without TCP_INFO only libcurl's reports count`() {
        var watch = watch()
        for second in 1...3 { #expect(watch.check(at: time(Int64(second) * 1000)) == nil) }
        #expect(watch.check(at: time(4000)) == .idle)
    }
}
