import Testing
import TransferModel

@testable import Scheduler

@Suite struct CaptureStoreTests {
    private func uses(_ pairs: [(user: Int, source: Int)]) -> CaptureUses {
        var uses = CaptureUses()
        for pair in pairs { uses.append(.init(user: pair.user, source: pair.source)) }
        return uses
    }

    private func store(_ pairs: [(user: Int, source: Int)]) -> CaptureStore {
        CaptureStore(uses(pairs))
    }

    @Test func `values are kept until the last task that uses them has ended`() {
        var store = store([(2, 0), (3, 0), (3, 1)])
        store.keep([CapturedValue("a", "1")], of: 0)
        store.keep([CapturedValue("b", "2")], of: 1)
        store.taskEnded(0)
        store.taskEnded(2)
        #expect(store.values.keys.sorted() == [0, 1])
        store.taskEnded(3)
        #expect(store.values.isEmpty)
    }

    @Test func `captured values without a remaining user are not kept`() {
        var store = store([(2, 0)])
        store.keep([CapturedValue("b", "2")], of: 1)
        store.taskEnded(2)
        store.keep([CapturedValue("a", "1")], of: 0)
        #expect(store.values.isEmpty)
        #expect(uses([(2, 0)]).fillsIn(2))
        #expect(!uses([(2, 0)]).fillsIn(0))
    }
}
