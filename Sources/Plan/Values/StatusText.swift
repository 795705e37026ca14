internal import Diagnostics
internal import SystemKit

/// Status codes and their ranges: `200`, `200-299`.
enum StatusText {
    /// One code alone, as the JSON Schema has it.
    static let codePattern = "^[1-5][0-9]{2}$"
    static let pattern = "^[1-5][0-9]{2}(-[1-5][0-9]{2})?$"

    static func parse(_ text: String) throws(ValueFault) -> ClosedRange<Int> {
        let parts = text.splitAtBytes("-", omittingEmpty: false)
        guard parts.count <= 2, let first = parts.first.flatMap(code),
            let last = parts.last.flatMap(code)
        else {
            throw ValueFault(
                .badStatus,
                "`\(text.excerpt)` is not a status code from 100 to 599",
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

    /// Whether the text is one such as `2xx`, for a whole class.
    static func isClass(_ text: String) -> Bool {
        text.utf8.count == 3 && text.lowercased().hasByteSuffix("xx")
            && (text.first.map { "12345".contains($0) } ?? false)
    }

    private static func likely(_ text: String) -> String? {
        if isClass(text) { return "\(text.prefix(1))00-\(text.prefix(1))99" }
        let digits = text.drop { $0 == "0" }
        return code(digits) == nil ? nil : String(digits)
    }
}
