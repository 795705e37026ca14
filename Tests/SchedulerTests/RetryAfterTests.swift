import Testing
import TransferModel

@testable import Scheduler

@Suite struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private let now = Timestamp(microseconds: 784_111_777_000_000)

    private func wait(_ value: String) -> Duration? {
        let field = HeaderField(name: "Retry-After", value: value)
        return RetryAfter.wait(in: HeaderFields([field]), now: now)
    }

    @Test(
        arguments: [
            ("0", .zero), ("120", .seconds(120)), ("007", .seconds(7)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", .seconds(60)),
            ("Sunday, 06-Nov-94 08:49:38 GMT", .seconds(1)),
        ] as [(String, Duration)]
    )
    func `seconds and dates are understood`(value: String, expected: Duration) {
        #expect(wait(value) == expected)
    }

    @Test(
        arguments: [
            "", "-1", "+5", "1.5", "soon", "5 s", "１２", "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:36 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
        ]
    )
    func `invalid, negative and past Retry-After cause no wait`(value: String) {
        #expect(wait(value) == nil)
    }

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:36 GMT", .seconds(61)),
            ("Sun, 06 Nov 1994 07:50:37 GMT", .seconds(3600)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", nil), ("nonsense", .seconds(60)),
        ] as [(String, Duration?)]
    )
    func `a Retry-After date counts from the response's own Date`(date: String, expected: Duration?)
    {
        let fields = [
            HeaderField(name: "Retry-After", value: "Sun, 06 Nov 1994 08:50:37 GMT"),
            HeaderField(name: "Date", value: date),
        ]
        #expect(RetryAfter.wait(in: HeaderFields(fields), now: now) == expected)
    }

    @Test func `a number too large to hold is a very long wait`() throws {
        #expect(try #require(wait("99999999999999999999999")) > .seconds(9_000_000_000))
    }

    @Test func `a response without Retry-After causes no wait`() {
        #expect(RetryAfter.wait(in: HeaderFields(), now: now) == nil)
    }
}
