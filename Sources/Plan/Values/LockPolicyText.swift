internal import SystemKit
internal import TransferModel

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
