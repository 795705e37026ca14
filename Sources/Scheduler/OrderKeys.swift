package import Transfer
package import TransferModel

/// Makes the idempotency keys of a run's orders; used on the scheduler's thread.
package protocol OrderKeys: AnyObject {
    /// The key of a task's order, which begins.
    ///
    /// - Throws: When no key can be made; the order is not sent then.
    func key(of spec: TaskSpec) throws(TransferFailure) -> OrderKey

    /// Writes to the disk that the orders begin whose keys were made, before any of them is sent.
    ///
    /// - Throws: When that fails; none of them is sent then.
    func commit() throws(TransferFailure)
}
