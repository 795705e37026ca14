/// Status codes and their ranges: `200`, `200-299`.
enum StatusText {
    static let pattern = "^[1-5][0-9]{2}(-[1-5][0-9]{2})?$"

    static func parse(_ text: String) throws(ValueFault) -> ClosedRange<Int> {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first.flatMap(code),
            let last = parts.last.flatMap(code)
        else {
            throw ValueFault(
                .badStatus,
                "`\(text)` is not a status code from 100 to 599",
                likely: likely(text),
                help: "write a code such as `201` or a range such as `200-299`"
            )
        }
        guard first <= last else {
            throw ValueFault(.badStatus, "the range is empty", likely: "\(last)-\(first)")
        }
        return first...last
    }

    /// One code and no range.
    static func code(_ text: some StringProtocol) -> Int? {
        guard text.utf8.count == 3, let code = Int(text), (100...599).contains(code) else {
            return nil
        }
        return code
    }

    /// `2xx` for a whole class.
    private static func likely(_ text: String) -> String? {
        guard text.utf8.count == 3, text.lowercased().hasSuffix("xx"),
            let digit = text.first, "12345".contains(digit)
        else { return nil }
        return "\(digit)00-\(digit)99"
    }
}
