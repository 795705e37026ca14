@testable import CurlKit
import SystemKit
import TestSupport
import Testing
@testable import Transfer
import TransferModel

/// A thread of the engine that does not return from a call.
@Suite struct StuckThreadTests {
    @Test func `a call that never returns fails its attempt, and later ones begin elsewhere`()
        throws
    {
        let folder = try TemporaryFolder()
        let (isSpinning, isOver) = (try Gate(), try Gate())
        defer { isOver.open() }
        let server = try ScriptedServer([
            "/stuck": [.ok("x", ["Content-Disposition: attachment; filename=spin"])],
            "/beside": [.raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")],
            "/pipe": [.raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")],
            "/": [.ok("hello")],
        ])
        let harness = try EngineHarness(
            maximumConcurrentAttempts: 1,
            mayName: { name in
                if name == "spin" {
                    isSpinning.open()
                    while !isOver.isOpen {}
                }
                return true
            }
        )
        let pipe = folder.path("rows")
        #expect(try Command("mkfifo", [pipe]).run().status == .exit(0))
        harness.engine.start([
            try .to(server.url("/beside"), key: 0),
            try .to(server.url("/pipe"), key: 3, method: "PUT", body: .pipe(path: pipe)),
        ])
        let writer = try Command("sh", ["-c", "echo rows > rows"], workingFolder: folder.path)
            .start()
        #expect(try writer.finish().status == .exit(0))
        try server.waitForRequests(2)
        harness.engine.start([
            try .download(server.url("/stuck"), to: folder.path("in/"), key: 1)
        ])
        try isSpinning.wait()
        harness.engine.start([try .to(server.url("/"), key: 2)])
        let results = try harness.results(4)
        #expect(results.map(\.failure?.kind) == [.reset, .engine, nil, .reset])
        // What was read of the pipe is gone.
        #expect(results.map(\.failure?.isPermanent) == [false, true, nil, true])
        #expect(results[2].response?.statusCode == 200)
    }

    @Test func `each transfer has the time of a call for itself`() {
        let patience: Int64 = 50_000_000
        let watch = CallWatch(patience: patience)
        let clock = Clock.ProcessorTime.ofThisThread
        func compute(_ time: Int64) {
            let end = clock.nanoseconds + time
            while clock.nanoseconds < end {}
        }
        watch.begin()
        watch.beginCall()
        for handle in 0..<6 {
            watch.willCallBack(for: handle)
            #expect(watch.look() == .isBusy)
            compute(patience / 2)
            #expect(watch.look() == .isBusy)
        }
        // A handle that the call has turned to before begins no new time.
        watch.willCallBack(for: 0)
        compute(patience)
        #expect(watch.look() == .isStuck(handle: 0))
    }

    @Test(arguments: [true, false])
    func `messages that may have been sent are not sent again`(isCause: Bool) throws {
        var conversation = try AttemptRequest.to("http://127.0.0.1:9/", key: 0)
        conversation.webSocket = WebSocketSpec(steps: [])
        let failure = TransferFailure.ofStuckThread(conversation, isCause: isCause)
        #expect(failure.followsMessages)
        #expect(failure.isOutcomeUnknown == isCause)
    }
}
