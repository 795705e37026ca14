internal import SystemKit
internal import TransferModel

/// `window` as the job file writes it: `01:00-05:00`, `22:00-05:00`.
enum DailyWindowText {
    private static let minute = "([01][0-9]|2[0-3]):[0-5][0-9]"
    /// The pattern of the JSON Schema; only `parse` knows that both ends must differ.
    static let pattern = "^\(minute)-(\(minute)|24:00)$"

    static let type = ValueType<DailyWindow>(pattern: pattern, parse: parse)

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
