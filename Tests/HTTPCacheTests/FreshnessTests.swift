import Testing
import TransferModel

@testable import HTTPCache

// RFC 9111 §4.2
@Suite struct FreshnessTests {
    @Test(
        arguments: [
            (["Cache-Control: max-age=60"], 60),
            (["Cache-Control: max-age=60", "Expires: 0"], 60),
            (["Cache-Control: s-maxage=60"], 0),
            (["Cache-Control: max-age=1, s-maxage=60"], 1),
            (["Expires: \(hourLater)", "Date: \(startDate)"], 3600),
            // Without a valid date that of the reception counts.
            (["Expires: \(hourLater)"], 3600),
            (["Expires: \(hourLater)", "Date: foo"], 3600),
            (["Expires: \(startDate)", "Date: \(startDate)"], 0),
            (["Expires: \(startDate)", "Date: \(hourLater)"], 0),
            (["Expires: 0", "Date: \(startDate)", "Last-Modified: \(dayEarlier)"], 0),
            (["Expires: Sun, 06 Nov 1994 09:49:37 UTC", "Date: \(startDate)"], 0),
            // A tenth of the time that it was not changed for, and a day at most.
            (["Date: \(startDate)", "Last-Modified: \(dayEarlier)"], 8640),
            (["Date: \(startDate)", "Last-Modified: Sun, 06 Nov 1983 08:49:37 GMT"], 86400),
            (["Date: \(startDate)", "Last-Modified: \(hourLater)"], 0),
            (["Date: \(startDate)"], 0),
        ] as [([String], Int64)]
    )
    func `the first matching rule sets the lifetime`(lines: [String], seconds: Int64) {
        var stored = sample()
        stored.fields = headerFields(lines)
        #expect(Freshness(of: stored, now: start).lifetime == seconds)
    }

    @Test(
        arguments: [(200, 8640), (404, 8640), (301, 8640), (201, 0), (302, 0), (599, 0)]
            as [(Int, Int64)]
    )
    func `a lifetime is guessed for some statuses only`(status: Int, seconds: Int64) {
        let stored = sample(
            "Date: \(startDate)",
            "Last-Modified: \(dayEarlier)",
            status: status
        )
        #expect(Freshness(of: stored, now: start).lifetime == seconds)
    }

    @Test func `a lifetime is guessed for every status of a public response`() {
        let stored = sample(
            "Date: \(startDate)",
            "Last-Modified: \(dayEarlier)",
            "Cache-Control: public",
            status: 599
        )
        #expect(Freshness(of: stored, now: start).lifetime == 8640)
    }

    @Test(
        arguments: [
            ([], 0), (["Age: 30"], 30), (["Age: 7200, 0"], 7200), (["Age: 0", "Age: 7200"], 0),
            (["Age: abc"], 0), (["Age: -7200"], 0), (["Age: 7200.0"], 0),
            (["Age: 2147483648"], 1 << 31), (["Date: \(dayEarlier)"], 86400),
            (["Date: \(dayEarlier)", "Age: 90000"], 90000), (["Date: \(hourLater)"], 0),
        ] as [([String], Int64)]
    )
    func `the age is what the origin or a cache says, and what has passed since`(
        lines: [String],
        seconds: Int64
    ) {
        var stored = sample()
        stored.fields = headerFields(lines)
        #expect(Freshness(of: stored, now: start).age == seconds)
        #expect(Freshness(of: stored, now: time(5)).age == seconds + 5)
    }

    @Test func `the time of the exchange adds to a response's age`() {
        var stored = sample("Age: 10")
        stored.requestTime = time(-7)
        #expect(Freshness(of: stored, now: start).age == 17)
    }

    @Test func `a response is fresh as long as its age is below its lifetime`() {
        let stored = sample("Cache-Control: max-age=2")
        #expect(Freshness(of: stored, now: time(1)).isFresh)
        #expect(!Freshness(of: stored, now: time(2)).isFresh)
        #expect(Freshness(of: stored, now: time(5)).staleness == 3)
    }

    @Test func `a response from the future is not fresh`() {
        let stored = sample("Cache-Control: max-age=3600")
        #expect(!Freshness(of: stored, now: time(-1)).isFresh)
        #expect(Freshness(of: stored, now: time(-1)).staleness == .max)
    }
}
