import Report
import TestSupport
import Testing
import TransferModel

@Suite struct ReportInvariantsTests {
    /// A sound run of one task, for a test to break.
    private struct Run {
        var record = Samples.full
        var exchange = Samples.fullExchange
        var summary: RunSummary

        init() {
            summary = RunSummary(endDate: Samples.time(1))
            summary.tasks = 1
            summary.succeeded = 1
            summary.attempts = 1
            summary.countOfBytesReceived = 4096
        }
    }

    private func violations(_ change: (inout Run) -> Void) throws -> [String] {
        var run = Run()
        change(&run)
        run.record.transactions = [run.exchange]
        let file = MemoryFile()
        let report = JSONReport(path: "x") { _ in file }
        report.receive(.started(Samples.header))
        report.receive(.taskFinished(run.record))
        report.receive(.finished(run.summary))
        return ReportInvariants(report: try JSONValue(bytes: file.bytes)).violations()
    }

    @Test func `a sound report breaks no rule`() throws {
        #expect(try violations { _ in } == [])
    }

    @Test func `dates out of order are found`() throws {
        #expect(try violations { $0.exchange.connectStartDate = Samples.time(9) }.count == 1)
        #expect(try violations { $0.exchange.responseEndDate = Samples.time(9) }.count == 1)
        #expect(try violations { $0.record.endDate = Samples.time(-1) }.count == 1)
    }

    @Test func `an end without a beginning is found`() throws {
        #expect(try violations { $0.exchange.domainLookupStartDate = nil }.count == 1)
        #expect(try violations { $0.exchange.responseStartDate = nil }.count == 1)
        #expect(try violations { $0.exchange.connectEndDate = nil }.count == 1)
        #expect(try violations { $0.exchange.response = nil }.count == 1)
    }

    @Test func `a reused connection has no steps of its own`() throws {
        #expect(try violations { $0.exchange.isReusedConnection = true }.count == 6)
    }

    @Test func `sums that do not add up are found`() throws {
        #expect(try violations { $0.summary.tasks = 2 }.count == 1)
        #expect(try violations { $0.summary.countOfBytesReceived = 1 }.count == 1)
        #expect(try violations { $0.record.redirectCount = 1 }.count == 2)
    }

    @Test func `an outcome and its error belong together`() throws {
        #expect(try violations { $0.record.error = Samples.refused.error }.count == 1)
        #expect(try violations { $0.record.attempts[0].number = 2 }.count == 1)
        #expect(try violations { $0.record.checks[0].passed = false }.count == 1)
    }
}
