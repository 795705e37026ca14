/// Sizes, rates and times for people.
package enum Quantity {
    private static let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

    /// `512 B`, `4.0 KiB`, `1.5 GiB`: powers of 1024.
    package static func bytes(_ count: Int64) -> String {
        guard count >= 1024 else { return "\(max(0, count)) B" }
        var value = Double(count)
        var unit = -1
        while value >= 1023.95, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return "\(oneDecimal(value)) \(units[max(0, unit)])"
    }

    /// `0.4 ms`, `12 ms`, `1.2 s`, `2m05s`, `1h03m`.
    package static func duration(microseconds: Int64) -> String {
        let time = max(0, microseconds)
        if time < 9_950 { return "\(oneDecimal(Double(time) / 1000)) ms" }
        if time < 999_500 { return "\((time + 500) / 1000) ms" }
        if time < 59_950_000 { return "\(oneDecimal(Double(time) / 1_000_000)) s" }
        let seconds = time / 1_000_000 + (time % 1_000_000 >= 500_000 ? 1 : 0)
        if seconds < 3600 { return "\(seconds / 60)m\(twoDigits(seconds % 60))s" }
        return "\(seconds / 3600)h\(twoDigits(seconds / 60 % 60))m"
    }

    /// `0:12`, `1:03:20`.
    static func clock(seconds: Int64) -> String {
        let minutes = seconds / 60
        guard minutes >= 60 else { return "\(minutes):\(twoDigits(seconds % 60))" }
        return "\(minutes / 60):\(twoDigits(minutes % 60)):\(twoDigits(seconds % 60))"
    }

    /// Rounded to one decimal; for nonnegative values below a million.
    private static func oneDecimal(_ value: Double) -> String {
        let tenths = Int64(min(value, 1_000_000) * 10 + 0.5)
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static func twoDigits(_ value: Int64) -> String {
        value < 10 ? "0\(value)" : "\(value)"
    }
}
