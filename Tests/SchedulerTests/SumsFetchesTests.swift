import Testing
import Transfer
import TransferModel

@testable import Scheduler

@Suite struct SumsFetchesTests {
    private static let key = SumsFetches.Key(
        session: 0,
        access: [.flags, .unclassified],
        url: "http://s.test/SUMS"
    )

    @Test func `the first task fetches a list, and the others wait for its end`() {
        var sums = SumsFetches()
        #expect(sums.ask(for: Self.key, by: 1) == nil)
        for task in [2, 3] {
            guard case .fetching? = sums.ask(for: Self.key, by: task) else {
                Issue.record("task \(task) does not wait")
                return
            }
        }
        #expect(sums.end(Self.key, with: .ready(ChecksumList([]))) == [2, 3])
        guard case .ready? = sums.ask(for: Self.key, by: 4) else {
            Issue.record("the list is fetched again")
            return
        }
    }

    @Test func `a failed fetch fails every later task, and no other list`() {
        var sums = SumsFetches()
        _ = sums.ask(for: Self.key, by: 1)
        let failure = TransferFailure(kind: .reset, phase: .receive, detail: "it broke")
        #expect(sums.end(Self.key, with: .failed(failure)).isEmpty)
        guard case .failed? = sums.ask(for: Self.key, by: 2) else {
            Issue.record("the list is fetched again")
            return
        }
        var other = Self.key
        other.session = 1
        #expect(sums.ask(for: other, by: 3) == nil)
    }
}
