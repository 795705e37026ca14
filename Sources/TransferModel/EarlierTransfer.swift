/// The state that earlier runs left of a background session's transfer.
package struct EarlierTransfer: Sendable, Hashable {
    /// How a transfer ended, for the report of a later run.
    package struct End: Sendable, Hashable {
        /// The identifier of the run that ended it.
        package var runIdentifier: String
        /// The date of the task's end, by the clock of that run.
        package var date: Timestamp
        /// `succeeded`, `unchanged` or `failed`.
        package var outcome: TaskOutcome
        /// The failure of a transfer that failed; nil for other outcomes.
        package var error: TransferFailure?
        /// The file that the transfer published; nil without one.
        package var file: PublishedFile?
        /// The evidence that the body was complete; nil for a failed transfer.
        package var voucher: BodyVoucher?

        /// Creates an end without a failure, a file or a voucher.
        package init(runIdentifier: String, date: Timestamp, outcome: TaskOutcome) {
            self.runIdentifier = runIdentifier
            self.date = date
            self.outcome = outcome
        }
    }

    /// The number of attempts.
    package var attempts: Int
    /// The attempts that count towards `retry.attempts`: failures of their own, not attempts cut by
    /// the end of their run.
    package var failures: Int
    /// When `timeoutIntervalForResource` expires, by the wall clock; nil for never.
    package var deadline: Timestamp?
    /// Whether an attempt was in progress when its process ended, so that its effect is unknown.
    package var wasCut: Bool
    /// Whether the server could recognize a repeat of that attempt by a key.
    package var hadKey: Bool
    /// nil for an unfinished transfer.
    package var end: End?

    /// Creates the state of a transfer; without `end` it is unfinished.
    package init(
        attempts: Int,
        failures: Int = 0,
        deadline: Timestamp? = nil,
        wasCut: Bool = false,
        hadKey: Bool = false,
        end: End? = nil
    ) {
        self.attempts = attempts
        self.failures = failures
        self.deadline = deadline
        self.wasCut = wasCut
        self.hadKey = hadKey
        self.end = end
    }
}
