import Testing
import TransferModel

@Suite struct DailyWindowTests {
    @Test(arguments: [
        ("01:00-05:00", 60, 300, [60, 299], [59, 300, 0, 1439]),
        ("22:00-05:00", 1320, 300, [1320, 1439, 0, 299], [300, 1319]),
        ("18:00-00:00", 1080, 0, [1080, 1439], [0, 1079]),
    ])
    func `a window includes its first minute and not its last, over midnight too`(
        text: String,
        start: Int,
        end: Int,
        inside: [Int],
        outside: [Int]
    ) {
        let window = DailyWindow(start: start, end: end)
        #expect(window.text == text)
        #expect(inside.allSatisfy { window.contains($0) })
        #expect(!outside.contains { window.contains($0) })
    }
}
