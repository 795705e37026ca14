import Testing
import TransferModel

@Suite struct TransferProgressTests {
    @Test func `a failed download shows the part that it has`() {
        let progress = TransferProgress(
            counts: [40, 0, 10],
            expected: [40, 0, 60],
            isComplete: false
        )
        #expect(progress.completedUnitCount == 50)
        #expect(progress.totalUnitCount == 100)
        #expect(progress.fractionCompleted == 0.5)
    }

    @Test func `the total of a failed task is unknown without an announced length`() {
        for expected in [nil, [0]] as [[Int64]?] {
            let progress = TransferProgress(counts: [7], expected: expected, isComplete: false)
            #expect(progress.completedUnitCount == 7)
            #expect(progress.totalUnitCount == nil)
            #expect(progress.fractionCompleted == nil)
        }
    }

    @Test func `a success is complete, whatever the peer announced`() {
        for count in [0, 5] as [Int64] {
            let progress = TransferProgress(counts: [count], expected: [9], isComplete: true)
            #expect(progress.totalUnitCount == count)
            #expect(progress.fractionCompleted == 1)
        }
    }

    @Test func `no length of a peer overflows the sums`() {
        let progress = TransferProgress(
            counts: [.max, .max, -1],
            expected: [.max, .max],
            isComplete: false
        )
        #expect(progress.completedUnitCount == .max)
        #expect(progress.fractionCompleted == 1)
        let little = TransferProgress(counts: [.max], expected: [1], isComplete: false)
        #expect(little.completedUnitCount == 1)
    }
}
