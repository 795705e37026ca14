package import TransferModel

/// The facts about a file that a file server gives before it sends the file.
package struct FileFacts: Hashable {
    /// nil when the server does not say it.
    package var size: Int64?
    /// Seconds since 1970; nil when the server does not say it.
    package var modified: Int64?

    /// Creates facts; nil for a fact that the server does not give.
    package init(size: Int64? = nil, modified: Int64? = nil) {
        self.size = size
        self.modified = modified
    }

    /// The length of the body that begins at an offset; nil if unknown.
    func length(from offset: Int64) -> Int64? {
        size.flatMap { $0 >= offset ? $0 - offset : nil }
    }

    /// The facts as the head of a response, as the Fetch standard makes one of a local file: 200,
    /// or 206 for the rest of a file.
    package func head(from offset: Int64) -> ResponseHead {
        var fields: [HeaderField] = []
        if let length = length(from: offset) {
            fields.append(HeaderField(name: "Content-Length", value: String(length)))
        }
        if let modified, let date = Self.text(of: modified) {
            fields.append(HeaderField(name: "Last-Modified", value: date))
        }
        guard offset > 0 else {
            return ResponseHead(statusCode: 200, fields: HeaderFields(fields))
        }
        if let size, size > offset {
            let range = "bytes \(offset)-\(size - 1)/\(size)"
            fields.append(HeaderField(name: "Content-Range", value: range))
        }
        return ResponseHead(statusCode: 206, fields: HeaderFields(fields))
    }

    /// A date in the form of HTTP (RFC 9110 §5.6.7); nil beyond its years.
    private static func text(of seconds: Int64) -> String? {
        guard (0..<253_402_300_800).contains(seconds) else { return nil }
        let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let date = CivilDate(daysSinceEpoch: days)
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
        return "\(weekdays[Int(days % 7)]), \(two(date.day)) \(months[Int(date.month) - 1]) "
            + "\(date.year) \(clock) GMT"
    }
}
