import Testing
import TransferModel

@testable import Scheduler
@testable import Transfer

/// Tasks with mirrors whose ways are not all there.
extension RunMachineConnectivityTests {
    @Test func `a mirror is requested before any wait`() throws {
        var run = Self.run([
            .init("a").with {
                $0.mirrors = ["http://b.test/"]
                $0.retry = .steady
            }
        ])
        Self.refuse("a", in: &run, isWhole: false)
        #expect(run.running[0]?.request.url.text == "http://b.test/")
        #expect(run.waiting.isEmpty)
        Self.refuse("a", in: &run, isWhole: false)
        #expect(run.running.isEmpty)
        #expect(run.waiting == ["a"])
        run.networkChanges()
        #expect(run.running[0]?.request.url.text == "http://a.test/")
        Self.refuse("a", in: &run, isWhole: false)
        #expect(run.running[0]?.request.url.text == "http://b.test/")
        run.finish("a")
        #expect(try #require(run.record("a")).outcome == .succeeded)
    }

    @Test func `a path that opens during a mirror's attempt is used at once`() {
        var run = Self.run([
            .init("a").with {
                $0.mirrors = ["http://b.test/"]
                $0.retry = .steady
            }
        ])
        Self.refuse("a", in: &run)
        #expect(run.running[0]?.request.url.text == "http://b.test/")
        run.networkChanges()
        run.refuse("a", 404)
        #expect(run.running[0]?.request.url.text == "http://a.test/")
    }

    @Test(arguments: [true, false])
    func `a task waits for a URL without a path when its mirrors keep failing`(waits: Bool) throws {
        var task = FakeSource.Task("a")
        task.mirrors = ["http://b.test/", "http://c.test/"]
        task.retry = .steady
        var run = Self.run([task], waits: waits)
        Self.refuse("a", in: &run, isWhole: false)
        run.refuse("a", 404)
        while run.running[0]?.request.url.text == "http://c.test/" {
            run.refuse("a", 503)
            if run.running.isEmpty, run.waiting.isEmpty { run.advanceToNextTick() }
        }
        if waits {
            #expect(run.waiting == ["a"])
            run.networkChanges()
            #expect(run.running[0]?.request.url.text == "http://a.test/")
            // The mirror has used up all attempts.
            Self.refuse("a", in: &run, isWhole: false)
            #expect(run.running.isEmpty)
            run.networkChanges()
            run.finish("a")
        }
        let record = try #require(run.record("a"))
        #expect(record.outcome == (waits ? .succeeded : .deferred))
    }

    @Test(arguments: [true, false])
    func `a URL without a path is retried when its mirrors refuse`(waits: Bool) throws {
        var run = Self.run(
            [
                .init("a").with {
                    $0.mirrors = ["http://b.test/"]
                    $0.retry = .steady
                }
            ],
            waits: waits
        )
        Self.refuse("a", in: &run, isWhole: false)
        run.refuse("a", 404)
        if waits {
            #expect(run.waiting == ["a"])
            run.networkChanges()
            #expect(run.running[0]?.request.url.text == "http://a.test/")
            // The mirror has said no once and for all.
            Self.refuse("a", in: &run, isWhole: false)
            #expect(run.running.isEmpty)
            run.networkChanges()
            run.finish("a")
        }
        let record = try #require(run.record("a"))
        #expect(record.outcome == (waits ? .succeeded : .deferred))
    }
}
