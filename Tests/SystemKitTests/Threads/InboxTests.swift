import SystemKit
import Testing

@Suite struct InboxTests {
    @Test func `everything that was pushed is taken at once and in order`() {
        let inbox = Inbox<Int>()
        for number in 1...3 { inbox.push(number) }
        #expect(inbox.takeAll(until: nil) == [1, 2, 3])
        #expect(inbox.takeAll(until: .min).isEmpty)
    }

    @Test(arguments: [.min, -1, 0, 1, Clock.monotonicNanoseconds() + 1_000_000] as [Int64])
    func `an empty inbox gives nothing when the time has come`(deadline: Int64) {
        #expect(Inbox<Int>().takeAll(until: deadline).isEmpty)
    }

    @Test func `a reader that waits is woken by another thread`() throws {
        let questions = Inbox<Int>()
        let answers = Inbox<Int>()
        let thread = try JoinableThread(name: "answers") {
            for _ in 1...100 {
                for number in questions.takeAll(until: nil) { answers.push(number) }
            }
        }
        var taken: [Int] = []
        for number in 1...100 {
            questions.push(number)
            taken += answers.takeAll(until: nil)
        }
        thread.join()
        #expect(taken == Array(1...100))
    }
}
