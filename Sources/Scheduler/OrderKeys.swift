package import Transfer
package import TransferModel

/// Has the idempotency keys of a run's orders; used on the scheduler's thread.
package protocol OrderKeys: AnyObject {
    /// The key of a task's order, which begins.
    ///
    /// - Throws: When there is no key: nothing is sent then.
    func key(of spec: TaskSpec) throws(TransferFailure) -> OrderKey

    /// Makes it outlive the process that the orders begin whose keys were asked for; none of them
    /// was sent before.
    ///
    /// - Throws: When that fails: none of them is sent then.
    func commit() throws(TransferFailure)
}
