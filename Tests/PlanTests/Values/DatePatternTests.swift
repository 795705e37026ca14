import Testing

@testable import Plan

@Suite struct DatePatternTests {
    // Compared with `DateFormatter` of the locale `en_US_POSIX`.
    @Test(arguments: [
        ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2026-11-21T08:30:00.250Z"),
        ("yyyyMMdd", "20261121"), ("yy", "26"), ("y", "2026"), ("d/M/yyyy", "21/11/2026"),
        ("EEE, dd MMM yyyy HH:mm:ss Z", "Sat, 21 Nov 2026 08:30:00 +0000"),
        ("EEEE d MMMM", "Saturday 21 November"), ("EEEEE EEEEEE MMMMM", "S Sa N"),
        ("h:mm a", "8:30 AM"), ("K k", "8 8"), ("D DDD", "325 325"), ("SSSSSS", "250000"),
        ("S", "2"), ("ZZZZ ZZZZZ X x xx xxx", "GMT Z Z +00 +0000 +00:00"),
        ("'it''s' HH 'o''clock'", "it's 08 o'clock"), ("''", "'"), ("''''", "''"),
        ("yyyy年M月", "2026年11月"),
    ])
    func `a time is written as its pattern says`(pattern: String, text: String) throws {
        let time = try TimestampText.parse("2026-11-21T08:30:00.25Z")
        #expect(try DatePattern(pattern).text(of: time) == text)
    }

    @Test(arguments: [
        ("UTC", "1970-01-01 12 24 AM Z"), ("-00:30", "1969-12-31 11 23 PM -0030"),
        ("+14:00", "1970-01-01 2 14 PM +14"),
    ])
    func `a pattern has its own distance from UTC`(zone: String, text: String) throws {
        var pattern = try DatePattern("yyyy-MM-dd h k a X")
        pattern.offset = try DatePattern.parseOffset(zone)
        #expect(try pattern.text(of: TimestampText.parse("1970-01-01T00:00:00Z")) == text)
    }

    @Test func `years before our era and the ends of the calendar have a text`() throws {
        var pattern = try DatePattern("yyyy-MM-dd E")
        #expect(try pattern.text(of: TimestampText.parse("0000-01-01")) == "0001-01-01 Sat")
        pattern.offset = 86_340
        #expect(
            try pattern.text(of: TimestampText.parse("9999-12-31T23:59:59Z")) == "10000-01-01 Sat"
        )
    }

    @Test(arguments: ["", "YYYY", "G", "MMMMMM", "'a", "HHH", "SSSSSSSSSS", "b"])
    func `another pattern is refused`(pattern: String) {
        #expect(throws: ValueFault.self) { try DatePattern(pattern) }
    }

    @Test(arguments: [
        "", "Europe/Berlin", "+1:00", "+24:00", "+01:60", "01:00", "+01-00", "+0a:00",
    ])
    func `another zone is refused`(zone: String) {
        #expect(throws: ValueFault.self) { try DatePattern.parseOffset(zone) }
    }
}
