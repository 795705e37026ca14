import JobFile
import Testing
import TransferModel

@testable import Plan

@Suite struct LimitsTableTests {
    private func session(_ text: String, defaults: String = "{}") throws -> SessionConfiguration {
        let plan = try TestJob.plan(
            """
            version: 1
            defaults: \(defaults)
            sessions: { a: \(text) }
            data: { x: { url: "https://example.com/", session: a } }
            """
        )
        return try #require(plan.sessions.first)
    }

    @Test func `one rate is for each direction`() throws {
        let limits = try session("{ limits: { bandwidth: 1KiB/s } }").limits
        #expect(limits.rates.down == .rate(1024) && limits.rates.up == .rate(1024))
        #expect(limits.limitsBandwidth && limits.limitsUploads && !limits.limitsRequests)
    }

    @Test func `a session changes what the defaults say key by key`() throws {
        let limits = try session(
            "{ limits: { bandwidth: { down: unlimited } } }",
            defaults: "{ limits: { bandwidth: 1KiB/s, requests: 30/m } }"
        ).limits
        #expect(limits.rates.down == .unlimited && limits.rates.up == .rate(1024))
        #expect(limits.rates.requests?.rate?.spacing == .seconds(2))
    }

    @Test func `an entry of the timetable keeps what it leaves out`() throws {
        let limits = try session(
            """
            { limits: { bandwidth: { down: 20B/s, up: 5B/s }, requests: 1/s, timetable: [
              { window: "22:00-06:00", bandwidth: { down: 2B/s }, requests: unlimited },
              { window: "00:00-12:00", bandwidth: unlimited } ] } }
            """
        ).limits
        let night = limits.rates(atMinute: 60)
        #expect(night.down == .rate(2) && night.up == .rate(5) && night.requests == .unlimited)
        let morning = limits.rates(atMinute: 7 * 60)
        #expect(morning.down == .unlimited && morning.requests?.rate?.count == 1)
        #expect(limits.rates(atMinute: 13 * 60) == limits.rates)
    }

    @Test func `a session without limits has none`() throws {
        let limits = try session("{}").limits
        #expect(limits == SessionLimits())
        #expect(!limits.limitsBandwidth && !limits.limitsUploads && !limits.limitsRequests)
    }
}
