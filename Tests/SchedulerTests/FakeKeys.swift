import Transfer
import TransferModel

@testable import Scheduler

/// Keys without a disk: the test sets them.
final class FakeKeys: OrderKeys {
    private let make: (TaskSpec) throws(TransferFailure) -> OrderKey
    private let fault: TransferFailure?
    private(set) var commits = 0

    /// `fault` is why no key can be kept.
    init(
        fault: TransferFailure? = nil,
        _ make: @escaping (TaskSpec) throws(TransferFailure) -> OrderKey = {
            (spec: TaskSpec) throws(TransferFailure) in OrderKey(text: "\"\(spec.id)\"")
        }
    ) {
        self.fault = fault
        self.make = make
    }

    func key(of spec: TaskSpec) throws(TransferFailure) -> OrderKey { try make(spec) }

    func commit() throws(TransferFailure) {
        commits += 1
        if let fault { throw fault }
    }
}
