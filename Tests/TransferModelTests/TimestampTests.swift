import Testing
import TransferModel

@Suite struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000000Z"),
        (1, "1970-01-01T00:00:00.000001Z"),
        (-1, "1969-12-31T23:59:59.999999Z"),
        (1_795_223_043_123_456, "2026-11-21T01:04:03.123456Z"),
        (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
        (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
        (253_402_300_800_000_000, "9999-12-31T23:59:59.999999Z"),
        (-62_167_219_200_000_000, "0000-01-01T00:00:00.000000Z"),
        (-62_167_219_200_000_001, "0000-01-01T00:00:00.000000Z"),
        (Int64.max, "9999-12-31T23:59:59.999999Z"),
        (Int64.min, "0000-01-01T00:00:00.000000Z"),
    ])
    func `a time is RFC 3339 with six digits, within the years that have four`(
        microseconds: Int64,
        text: String
    ) {
        #expect(Timestamp(microseconds: microseconds).rfc3339 == text)
    }

    @Test(arguments: [
        0, 1, -1, 1_795_223_043_123_456, 951_782_400_000_000, -62_167_219_200_000_000,
    ])
    func `the text of a time is read back`(microseconds: Int64) {
        let time = Timestamp(microseconds: microseconds)
        #expect(Timestamp(rfc3339: time.rfc3339) == time)
    }

    @Test(arguments: [
        "", "2026-11-21T01:04:03Z", "2026-02-30T01:04:03.123456Z", "2026-11-21T24:04:03.123456Z",
        "2026-11-21 01:04:03.123456Z", "2026-11-21T01:04:03.12345aZ", "2026-11-21T01:04:03.123456z",
    ])
    func `another text is no time`(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test func `a difference beyond the range is the nearest number`() {
        let first = Timestamp(microseconds: .min)
        let last = Timestamp(microseconds: .max)
        #expect(last.microseconds(since: first) == .max)
        #expect(first.microseconds(since: last) == .min)
        #expect(Timestamp(microseconds: 7).microseconds(since: Timestamp(microseconds: 9)) == -2)
    }
}

@Suite struct TimestampFormatterTests {
    @Test func `the remembered second never leaks into another`() {
        var formatter = TimestampFormatter()
        let times: [Int64] = [0, 999_999, 1_000_000, 0, 86_400_000_000, -1, -1_000_000, 5]
        for microseconds in times {
            let time = Timestamp(microseconds: microseconds)
            let text = formatter.text(of: time)
            #expect(text.indices.allSatisfy { text[$0] == Array(time.rfc3339.utf8)[$0] })
        }
    }
}
