import Testing
import TransferModel

@Suite struct TimeLimitTests {
    @Test(arguments: [
        (1, "1ms"), (200, "200ms"), (1000, "1s"), (1500, "1500ms"), (60_000, "60s"),
        (90_000, "90s"), (120_000, "2m"), (3_600_000, "1h"), (5_400_000, "90m"),
        (604_800_000, "7d"),
    ])
    func `a limit is shown as the job file writes it`(milliseconds: Int, text: String) {
        let limit = TimeLimit(.connectTimeout, .milliseconds(milliseconds))
        #expect(limit.text == "`connectTimeout: \(text)`")
    }
}
