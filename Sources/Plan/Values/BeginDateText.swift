internal import TransferModel

/// `earliestBeginDate` as the job file writes it: an RFC 3339 `date-time`, or a duration after the
/// run's start.
enum BeginDateText {
    private static let datePattern =
        #"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})"#
    /// The pattern of the JSON Schema; `parse` knows the calendar and the longest duration.
    static let pattern = "^(\(datePattern)|\(DurationText.form))$"

    static let type = ValueType<BeginDate>(pattern: pattern, parse: parse)

    static func parse(_ text: String) throws(ValueFault) -> BeginDate {
        // The only texts with a dash in this place are dates.
        guard text.utf8.dropFirst(4).first == UInt8(ascii: "-") else {
            return .delay(try DurationText.parse(text))
        }
        guard hasTimeAndZone(text) else {
            throw ValueFault(
                .badTimestamp,
                "`\(text)` is not a date with its time and zone",
                likely: text.utf8.count == 10 ? "\(text)T00:00:00Z" : nil,
                help: "write an RFC 3339 date, such as `2026-11-21T08:30:00Z` or "
                    + "`2026-11-21T08:30:00+01:00`, or a duration after the run's start"
            )
        }
        let time = try TimestampText.parse(text)
        let microseconds = time.seconds * 1_000_000 + time.nanoseconds / 1000
        return .date(Timestamp(microseconds: microseconds))
    }

    /// RFC 3339 requires a time and a zone: without a zone, a date depends on the reader's place.
    private static func hasTimeAndZone(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":")
        else {
            return false
        }
        if bytes.last == UInt8(ascii: "Z") { return true }
        let sign = bytes[bytes.count - 6]
        return bytes[bytes.count - 3] == UInt8(ascii: ":")
            && (sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"))
    }
}
