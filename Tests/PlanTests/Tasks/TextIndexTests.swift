import Testing

@testable import Plan
import SystemKit

@Suite struct TextIndexTests {
    @Test func `every entry is found by its hash, and no other`() {
        let texts = (0..<5000).map { "task-\($0)" }
        var index = TextIndex(capacity: texts.count)
        for (number, text) in texts.enumerated() {
            let hash = text.utf8.span.seededHash
            #expect(index.find(hash) { texts[$0] == text } == nil)
            index.insert(number, hash: hash)
        }
        for (number, text) in texts.enumerated() {
            #expect(index.find(text.utf8.span.seededHash) { texts[$0] == text } == number)
        }
    }

    @Test func `entries of one hash are distinguished`() {
        var index = TextIndex(capacity: 100)
        for number in 0..<100 { index.insert(number, hash: 42) }
        for number in 0..<100 { #expect(index.find(42) { $0 == number } == number) }
        #expect(index.find(42 | 1 << 40) { _ in true } == nil)
    }

    @Test func `an index accepts no more entries than its capacity`() {
        var index = TextIndex(capacity: 0)
        for number in 0..<20 { index.insert(number, hash: UInt64(number)) }
        #expect(index.find(19) { $0 == 19 } == nil)
        #expect(index.find(0) { $0 == 0 } == 0)
    }

    @Test func `entries lie apart, however many there are`() {
        var index = TextIndex(capacity: 10_000)
        for number in 0..<10_000 { index.insert(number, hash: "\(number)".utf8.span.seededHash) }
        #expect(index.longestRun < 500)
    }

    @Test(arguments: ["", "a", "12345678", "123456789", "1234567\u{0}", "\u{0}"])
    func `a hash depends on every byte and on the length`(text: String) {
        let hash = text.utf8.span.seededHash
        #expect(hash == text.utf8.span.seededHash)
        #expect(hash != (text + "\u{0}").utf8.span.seededHash)
        #expect(hash != (text + "x").utf8.span.seededHash)
    }
}
