internal import SystemKit
internal import TransferModel

/// `window` as the job file writes it: `01:00-05:00`, `22:00-05:00`.
enum DailyWindowText {
    private static let minute = "([01][0-9]|2[0-3]):[0-5][0-9]"
    /// The pattern of the JSON Schema; only `parse` knows that both ends must differ.
    static let pattern = "^\(minute)-(\(minute)|24:00)$"

    static let type = ValueType<DailyWindow>(pattern: pattern, example: "22:00-06:00", parse: parse)

    static func parse(_ text: String) throws(ValueFault) -> DailyWindow {
        let ends = text.splitAtBytes("-", omittingEmpty: false)
        guard ends.count == 2, let start = minute(ends[0]), start < 1440,
            let end = minute(ends[1])
        else {
            throw ValueFault(
                .badValue,
                "`\(text)` is not a window",
                likely: likely(text),
                help: "write its beginning and its end in local time, such as `01:00-05:00`"
            )
        }
        guard start != end % 1440 else {
            throw ValueFault(.outOfRange, "the window ends where it begins")
        }
        return DailyWindow(start: start, end: end % 1440)
    }

    /// `HH:MM` in minutes, `24:00` included.
    private static func minute(_ text: Substring) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [bytes[0], bytes[1], bytes[3], bytes[4]].map { Int($0) - 48 }
        guard digits.allSatisfy((0...9).contains) else { return nil }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        guard hour < 24 && minute < 60 || hour == 24 && minute == 0 else { return nil }
        return hour * 60 + minute
    }

    /// Hours without a zero or minutes, blanks around the dash, or a long one.
    private static func likely(_ text: String) -> String? {
        let plain = text.filter { $0 != " " }.map { $0 == "–" ? "-" : $0 }
        let ends = String(plain).splitAtBytes("-", omittingEmpty: false).map {
            end in
            let parts = end.splitAtBytes(":", omittingEmpty: false)
            let hour = parts.first.map { $0.utf8.count == 1 ? "0\($0)" : "\($0)" } ?? ""
            return hour + ":" + (parts.count == 2 ? parts[1] : parts.count == 1 ? "00" : "")
        }
        let likely = ends.joined(separator: "-")
        return likely != text && (try? parse(likely)) != nil ? likely : nil
    }
}

/// `lock` as the job file writes it: `fail`, `skip`, `wait`, `wait 5m`.
enum LockPolicyText {
    /// The pattern of the JSON Schema; only `parse` knows the longest duration.
    static let pattern = "^(fail|skip|wait|wait (?=.*[1-9])\(DurationText.form))$"

    static let type = ValueType<LockPolicy>(pattern: pattern, parse: parse)

    static func parse(_ text: String) throws(ValueFault) -> LockPolicy {
        switch text {
        case "fail": return .fail
        case "skip": return .skip
        case "wait": return .wait(nil)
        default: break
        }
        guard text.hasBytePrefix("wait ") else {
            throw ValueFault(
                .badValue,
                "`\(text)` is not one of `fail`, `skip`, `wait`",
                likely: likely(text),
                help: "a wait may have a limit, such as `wait 5m`"
            )
        }
        let limit = try DurationText.parse(String(text.dropFirst(5)))
        guard limit > .zero else {
            throw ValueFault(.outOfRange, "a wait must take some time", likely: "fail")
        }
        return .wait(limit)
    }

    /// The word in other letters, or a duration without it.
    private static func likely(_ text: String) -> String? {
        let word = text.lowercased()
        if ["fail", "skip", "wait"].contains(word) { return word }
        return (try? DurationText.parse(text)).map { _ in "wait \(text)" }
    }
}

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
