internal import TransferModel

/// The checks of an attempt so far, and why the attempt fails.
struct AttemptOutcome {
    /// Held by reference: a failure is large, and nearly no exchange has one.
    private final class KeptFailure {
        let failure: TransferFailure
        init(_ failure: TransferFailure) { self.failure = failure }
    }

    private(set) var checks: [TaskRecord.Check] = []
    private var kept: KeptFailure?

    /// Why the attempt fails; libcurl's code then only says that a callback ended the transfer.
    var failure: TransferFailure? { kept?.failure }
    /// Whether the attempt fails: cheaper than `failure`.
    var hasFailed: Bool { kept != nil }

    /// Notes why the attempt fails, in place of an earlier failure.
    mutating func fail(_ failure: TransferFailure) { kept = KeptFailure(failure) }

    /// Forgets the failure, because something else than the failed exchange answers.
    mutating func forgetFailure() { kept = nil }

    /// Notes checks that ran.
    mutating func add(_ found: [TaskRecord.Check]) {
        // Without a copy for the first checks.
        if checks.isEmpty { checks = found } else { checks += found }
    }

    /// Forgets the checks of a response that is not the result.
    mutating func forgetChecks() { checks = [] }

    /// Records that a refused response was cut: the first check, that the response is whole, fails.
    mutating func noteCutRefusal(_ kind: TransferFailure.Kind) {
        guard checks.first?.check == .clientError else { return }
        checks = [TaskRecord.Check(.clientError, passed: false, actual: kind.label)]
    }
}
