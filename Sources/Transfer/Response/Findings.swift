internal import TransferModel

/// The results of checks on a response: the checks that ran, and the failure of the last one if it
/// did not pass.
struct Findings: Sendable, Hashable {
    private(set) var checks: [TaskRecord.Check] = []
    private(set) var failure: TransferFailure?
    /// One for each capture if no check failed.
    var captured: [CapturedValue] = []

    mutating func pass(_ check: TaskRecord.Check.Name) {
        checks.append(TaskRecord.Check(check, passed: true))
    }

    /// Adds a failed check, which ends the checks; repeating the request would give the same
    /// result, unless the job says otherwise (`retry.on`).
    mutating func fail(
        _ check: TaskRecord.Check.Name,
        expected: String,
        actual: String,
        _ kind: TransferFailure.Kind,
        _ detail: String,
        _ urlError: TransferFailure.URLErrorCode,
        help: String? = nil
    ) {
        var failure = TransferFailure(kind: kind, phase: .receive, detail: detail)
        failure.isPermanent = true
        failure.urlError = urlError
        failure.help = help ?? Self.help(about: kind)
        fail(TaskRecord.Check(check, passed: false, expected: expected, actual: actual), failure)
    }

    /// The advice about a response that differs from what the job wants.
    private static func help(about kind: TransferFailure.Kind) -> String? {
        switch kind {
        case .content:
            "correct `expect` or `capture`, or find out why the server answers differently"
        case .tooLarge: "raise `expect.maximumSize` if the body may be larger"
        default: nil
        }
    }

    /// Adds a failed check with its failure, which ends the checks.
    mutating func fail(_ check: TaskRecord.Check, _ failure: TransferFailure) {
        checks.append(check)
        self.failure = failure
    }
}
