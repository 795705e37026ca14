import TransferModel

/// The name of one run: sorts by time, differs between machines.
enum RunIdentifier {
    /// `20261121T010403Z-` and twelve random characters.
    static func make(at time: Timestamp) -> String {
        let date = time.rfc3339.prefix(19).filter { $0 != "-" && $0 != ":" }
        let letters = Array("0123456789abcdefghjkmnpqrstvwxyz")
        let random = (0..<12).map { _ in letters[Int.random(in: 0..<letters.count)] }
        return "\(date)Z-\(String(random))"
    }
}
