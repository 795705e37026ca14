package import TransferModel

/// Keeps the transfers of background sessions over the runs of a job; used on the scheduler's
/// thread.
package protocol BackgroundTransfers: AnyObject {
    /// Whether an earlier run has begun a task of that id.
    func knows(_ spec: TaskSpec) -> Bool

    /// A transfer as earlier runs have left it; nil when it begins now.
    ///
    /// - Throws: When the journal cannot tell; the transfer is not sent then.
    func recall(_ spec: TaskSpec) throws(TransferFailure) -> EarlierTransfer?

    /// Whether an earlier run has left the URL of a transfer's upload, where its server tells how
    /// much has arrived.
    func leavesUpload(_ spec: TaskSpec) -> Bool

    /// Notes that an attempt begins; the transfer's time is over at the deadline, if there is one.
    func attemptBegins(_ spec: TaskSpec, deadline: Timestamp?)

    /// Notes that an attempt has ended and another one follows; so many count towards
    /// `retry.attempts`.
    func attemptEnded(_ spec: TaskSpec, failures: Int)

    /// Writes to the disk that the noted attempts begin, before any of them is sent.
    ///
    /// - Throws: When that fails; none of them is sent then.
    func commit() throws(TransferFailure)

    /// Keeps the ends of tasks, before any other listener learns of them.
    func keep(_ events: [RunEvent])
}
