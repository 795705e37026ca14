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
            summary = RunSummary(endDate: Samples.time(2_000_000))
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
        let report = jsonReport(to: file)
        report.receive(.started(Samples.header))
        report.receive(.taskFinished(run.record))
        report.receive(.finished(run.summary))
        return ReportInvariants(report: try JSONValue(bytes: file.bytes)).violations()
    }

    /// One way to break a rule, and the message about it.
    struct Fault: Sendable, CustomTestStringConvertible {
        var text: String
        var change: @Sendable (inout TransactionMetrics) -> Void
        var testDescription: String { text }

        init(_ text: String, _ change: @escaping @Sendable (inout TransactionMetrics) -> Void) {
            self.text = text
            self.change = change
        }
    }

    @Test func `a valid report breaks no rule`() throws {
        #expect(try violations { _ in } == [])
    }

    @Test(arguments: [
        Fault("connectStartDate is before domainLookupEndDate") {
            $0.domainLookupEndDate = Samples.time(14)
        },
        Fault("responseEndDate is before responseStartDate") {
            $0.responseEndDate = Samples.time(19)
        },
        Fault("domainLookupEndDate without domainLookupStartDate") {
            $0.domainLookupStartDate = nil
        },
        Fault("connectEndDate without connectStartDate") { $0.connectStartDate = nil },
        Fault("TCP before connectStartDate") { $0.tcpConnectEndDate = Samples.time(12) },
        Fault("TCP after what follows it") { $0.tcpConnectEndDate = Samples.time(16) },
        Fault("secureConnectionEndDate without secureConnectionStartDate") {
            $0.secureConnectionStartDate = nil
        },
        Fault("a request without a connection") { $0.connectEndDate = nil },
        Fault("requestStartDate without remoteAddress") { $0.remoteEndpoint = nil },
        Fault("requestStartDate without localAddress") { $0.localEndpoint = nil },
        Fault("a request over a connection without its number") { $0.connectionIdentifier = nil },
        Fault("requestEndDate without requestStartDate") { $0.requestStartDate = nil },
        Fault("responseEndDate without responseStartDate") { $0.responseStartDate = nil },
        Fault("responseEndDate without response") { $0.response = nil },
        Fault("response without networkProtocolName") { $0.networkProtocolName = nil },
        Fault("informational responses out of order") {
            $0.informationalResponses[0].date = Samples.time(30)
        },
        Fault("TLS without negotiatedTLSProtocolVersion") {
            $0.negotiatedTLSProtocolVersion = nil
        },
        Fault("TLS without secureConnectionStartDate") {
            $0.secureConnectionStartDate = nil
            $0.secureConnectionEndDate = nil
        },
        Fault("secureConnectionStartDate without TLS") { $0.request.url = "http://example.com/" },
        Fault("connectEndDate on a reused connection") { $0.isReusedConnection = true },
        Fault("a whole request without a head") { $0.countOfRequestHeaderBytesSent = 0 },
        Fault("a whole request of another length than it says") {
            $0.request.headers.append(HeaderField(name: "Content-Length", value: "1"))
        },
        Fault("a response without a head") { $0.countOfResponseHeaderBytesReceived = 0 },
        Fault("a body that became another length") {
            $0.countOfResponseBodyBytesAfterDecoding = 4095
        },
        Fault("a whole response of another length than it says") {
            $0.response?.fields.append(HeaderField(name: "Content-Length", value: "4097"))
        },
        Fault("chunks that are not counted") {
            $0.response?.fields.append(HeaderField(name: "Transfer-Encoding", value: "chunked"))
        },
        Fault("a body where there is none") { $0.request.method = "HEAD" },
        Fault("its attempt is not there") { $0.attempt = 2 },
        Fault("in its attempt: out of order") { $0.fetchStartDate = Samples.time(-1) },
        Fault("in its attempt: out of order") { $0.responseEndDate = Samples.time(1_200_001) },
    ])
    func `a broken rule of an exchange is found`(fault: Fault) throws {
        let found = try violations { fault.change(&$0.exchange) }
        #expect(found.contains { $0.hasSuffix(fault.text) }, "\(found)")
    }

    @Test func `a reused connection has no steps of its own`() throws {
        #expect(try violations { $0.exchange.isReusedConnection = true }.count == 6)
    }

    @Test func `sums that do not add up are found`() throws {
        #expect(try violations { $0.summary.tasks = 2 }.count == 1)
        #expect(try violations { $0.summary.countOfBytesReceived = 1 }.count == 1)
        #expect(try violations { $0.summary.cacheHits = 1 }.count == 1)
        #expect(try violations { $0.record.redirectCount = 1 }.count == 2)
    }

    @Test func `an outcome and its error belong together`() throws {
        #expect(try violations { $0.record.error = Samples.refused.error }.count == 1)
        #expect(try violations { $0.record.checks[0].passed = false }.count == 1)
    }

    @Test func `attempts may be left out between the first and the last ones`() throws {
        func violations(omitted: Int, counted: Int) throws -> [String] {
            try self.violations {
                $0.record.attempts.append($0.record.attempts[0])
                $0.record.attempts[0].endDate = $0.record.attempts[0].startDate
                $0.record.attempts[1].number = 40
                $0.record.omittedAttempts = omitted
                $0.exchange.attempt = 40
                $0.summary.attempts = counted
            }
        }
        #expect(try violations(omitted: 38, counted: 40) == [])
        #expect(try violations(omitted: 37, counted: 39).count == 1)
        #expect(try violations(omitted: 38, counted: 2).count == 1)
    }

    @Test func `tasks lie in their run and attempts in their task`() throws {
        #expect(
            try violations {
                $0.record.attempts[0].number = 2
                $0.exchange.attempt = 2
            }.count == 1
        )
        #expect(
            try violations { $0.record.attempts[0].endDate = Samples.time(1_200_001) }.count == 1
        )
        #expect(try violations { $0.summary.endDate = Samples.time(1_199_999) }.count == 1)
    }
}
