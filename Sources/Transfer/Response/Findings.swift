internal import TransferModel

/// What some checks of a response found: those that ran, and the failure of the last one when it
/// did not pass.
struct Findings: Sendable, Hashable {
    private(set) var checks: [TaskRecord.Check] = []
    private(set) var failure: TransferFailure?
    /// One for each of the captures when nothing failed.
    var captured: [CapturedValue] = []

    mutating func pass(_ check: TaskRecord.Check.Name) {
        checks.append(TaskRecord.Check(check, passed: true))
    }

    /// Ends the checks with one that did not pass; repeating the request would bring the same
    /// answer.
    mutating func fail(
        _ check: TaskRecord.Check.Name,
        expected: String,
        actual: String,
        _ kind: TransferFailure.Kind,
        _ detail: String,
        _ urlError: TransferFailure.URLErrorCode
    ) {
        checks.append(
            TaskRecord.Check(check, passed: false, expected: expected, actual: actual)
        )
        var failure = TransferFailure(kind: kind, phase: .receive, detail: detail)
        failure.isPermanent = true
        failure.urlError = urlError
        self.failure = failure
    }
}
