import SystemKit
import Testing
import TransferModel

@testable import Scheduler

/// Transfers that an earlier run has begun.
@Suite struct EarlierTransferObstacleTests {
    private static let date = Timestamp(microseconds: 1_000_000_000)

    private func obstacle(
        _ transfer: EarlierTransfer,
        _ method: String = "POST",
        leavesUpload: Bool = false,
        _ change: (inout FakeSource.Task) -> Void = { _ in }
    ) throws -> TransferFailure? {
        let task = FakeSource.Task("a").with {
            $0.method = method
            change(&$0)
        }
        let spec = try FakeSource(tasks: [task]).task(at: 0, captured: [:])
        return transfer.obstacle(
            to: spec,
            within: .seconds(60),
            at: Self.date,
            leavesUpload: leavesUpload
        )
    }

    @Test func `a cut order is not sent again unless something tells what has arrived`() throws {
        let cut = EarlierTransfer(attempts: 1, wasCut: true)
        #expect(try obstacle(cut)?.isOutcomeUnknown == true)
        #expect(try obstacle(cut, "GET") == nil)
        #expect(try obstacle(cut, leavesUpload: true) == nil)
        #expect(try obstacle(cut) { $0.retry.repeat = .always } == nil)
        let keyed = EarlierTransfer(attempts: 1, wasCut: true, hadKey: true)
        #expect(try obstacle(keyed) { $0.wantsKey = true } == nil)
        // A key that the job has got since says nothing of the attempt without it.
        #expect(try obstacle(cut) { $0.wantsKey = true }?.isOutcomeUnknown == true)
    }

    @Test func `a transfer whose time was over before the run does not begin`() throws {
        let over = EarlierTransfer(attempts: 1, deadline: Self.date)
        let failure = try obstacle(over, "GET")
        #expect(failure?.kind == .timeout && failure?.isPermanent == true)
        let open = EarlierTransfer(
            attempts: 1,
            deadline: Timestamp(microseconds: Self.date.microseconds + 1)
        )
        #expect(try obstacle(open, "GET") == nil)
    }

    @Test func `a clock that was set back gives no transfer more time than a new one has`() {
        let transfer = EarlierTransfer(
            attempts: 1,
            deadline: Timestamp(microseconds: Self.date.microseconds + 3_600_000_000)
        )
        #expect(transfer.remaining(of: .seconds(60), at: Self.date) == .seconds(60))
        #expect(transfer.remaining(of: nil, at: Self.date) == nil)
        let unlimited = EarlierTransfer(attempts: 1)
        #expect(unlimited.remaining(of: .seconds(60), at: Self.date) == .seconds(60))
    }
}
