/// What earlier runs have left of a transfer of a background session.
package struct EarlierTransfer: Sendable, Hashable {
    /// How a transfer ended, as far as a report of a later run needs it.
    package struct End: Sendable, Hashable {
        /// The identifier of the run that ended it.
        package var runIdentifier: String
        package var date: Timestamp
        /// `succeeded`, `unchanged` or `failed`.
        package var outcome: TaskOutcome
        package var error: TransferFailure?
        package var file: TaskRecord.PublishedFile?
        package var voucher: TaskRecord.Voucher?

        package init(runIdentifier: String, date: Timestamp, outcome: TaskOutcome) {
            self.runIdentifier = runIdentifier
            self.date = date
            self.outcome = outcome
        }
    }

    /// How many tries were made of it.
    package var attempts: Int
    /// How many of them count towards `retry.attempts`: those that have failed by themselves, not
    /// those that the end of their run has cut.
    package var failures: Int
    /// When `timeoutIntervalForResource` is over, by the wall clock; nil for never.
    package var deadline: Timestamp?
    /// Whether a try was under way when its process ended: nobody knows how far it came.
    package var wasCut: Bool
    /// Whether its server could tell a repeat of that try by a key.
    package var hadKey: Bool
    /// nil for one that is to go on.
    package var end: End?

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
