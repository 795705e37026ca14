internal import SystemKit
internal import TransferModel

extension LockedDownload {
    /// The advice when the server's file differs from the lock file.
    static let advice =
        "find out why the server has another file; `runner lock --update` with the task's id accepts it"

    /// The differences between an accepted response and the lock file; nil for none.
    ///
    /// - Parameters:
    ///   - head: The response's head.
    ///   - url: The URL of the response.
    ///   - length: The announced length of the whole file; nil if unknown.
    /// - Returns: The failed check.
    func findings(of head: ResponseHead, from url: TransferURL, length: Int64?) -> Findings? {
        let facts = [
            ("final URL", finalURL, finalURL.map { _ in url.withoutQuery ?? url.text }),
            ("validator", validator, validator.map { _ in head.lockValidator ?? "missing" }),
            ("size", "\(size)", length.map { "\($0)" }),
        ]
        let differences = facts.compactMap { what, expected, actual in
            expected.flatMap { expected in
                actual.flatMap { $0 == expected ? nil : (what, expected, TextExcerpt.of($0)) }
            }
        }
        guard !differences.isEmpty else { return nil }
        let words = differences.map { "the \($0) is \($2) instead of \($1)" }
        var findings = Findings()
        findings.fail(
            .content,
            expected: differences.map { "\($0.0): \($0.1)" }.joined(separator: ", "),
            actual: differences.map { "\($0.0): \($0.2)" }.joined(separator: ", "),
            .integrity,
            words.joined(separator: " and ") + ", which the lock file has",
            .badServerResponse,
            help: Self.advice
        )
        return findings
    }
}
