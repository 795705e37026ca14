import Testing
import TransferModel

@Suite struct CaptureUsesTests {
    private func uses(_ pairs: [(Int, Int)]) -> CaptureUses {
        var uses = CaptureUses()
        for (user, source) in pairs { uses.append(.init(user: user, source: source)) }
        return uses
    }

    @Test(arguments: [(0, []), (1, [0]), (2, []), (4, [0, 3]), (5, []), (7, [4]), (9, [])])
    func `the tasks that capture for a task are found`(user: Int, sources: [Int]) {
        let uses = uses([(1, 0), (4, 0), (4, 3), (4, 0), (7, 4)])
        #expect(Array(uses.sources(of: user)) == sources)
        #expect(uses.pairs.count == 4)
    }

    @Test func `no captures have no uses`() {
        #expect(CaptureUses().isEmpty)
        #expect(CaptureUses().sources(of: 0).isEmpty)
    }
}
