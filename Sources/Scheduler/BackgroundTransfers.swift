package import TransferModel

/// Keeps the transfers of background sessions over the runs of a job; used on the scheduler's
/// thread.
package protocol BackgroundTransfers: AnyObject {
    /// Whether an earlier run has begun a task of that id.
    func knows(_ spec: TaskSpec) -> Bool

    /// What earlier runs have left of a transfer; nil when it begins now.
    ///
    /// - Throws: When that cannot be told: nothing is sent then.
    func recall(_ spec: TaskSpec) throws(TransferFailure) -> EarlierTransfer?

    /// Whether an earlier run has left of a transfer's upload where it is, so that its server can
    /// be asked how much it has.
    func leavesUpload(_ spec: TaskSpec) -> Bool

    /// A try of a transfer is about to begin, whose time is over at the deadline, if there is one.
    func attemptBegins(_ spec: TaskSpec, deadline: Timestamp?)

    /// A try has ended, and another one follows.
    ///
    /// - Parameters:
    ///   - spec: The transfer.
    ///   - failures: How many of the tries that the transfer has are used up.
    func attemptEnded(_ spec: TaskSpec, failures: Int)

    /// Makes it outlive the process that the tries begin which `attemptBegins` was told of.
    ///
    /// - Throws: When that fails: none of them is sent then.
    func commit() throws(TransferFailure)

    /// Keeps which tasks have ended, before anybody else is told of it.
    func keep(_ events: [RunEvent])
}
