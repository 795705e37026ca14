import JSON
import Report
import Testing
import TransferModel

@Suite struct WebhookSummaryTests {
    private static func summary(_ exitCode: Int32, _ totals: RunSummary?, ids: [String] = [])
        -> WebhookSummary
    {
        WebhookSummary(
            job: "orders for https://user:word@h.example/",
            run: "r1",
            host: "h",
            exitCode: exitCode,
            reportPath: "",
            totals: totals,
            tasks: ids.map { .init(id: $0, outcome: .skipped, failure: nil) },
            redactor: Redactor([Secret("pa55word")])
        )
    }

    private static func totals(_ tasks: Int, succeeded: Int) -> RunSummary {
        var totals = RunSummary(endDate: Timestamp(microseconds: 0))
        (totals.tasks, totals.succeeded) = (tasks, succeeded)
        return totals
    }

    private static func text(_ summary: WebhookSummary) throws -> String {
        let value = try JSONValue(bytes: summary.json)
        guard case .string(let text)? = value["text"] else { return "" }
        return text
    }

    @Test func `a summary hides secrets and logins`() throws {
        let summary = Self.summary(1, Self.totals(1, succeeded: 0), ids: ["a[pa55word]"])
        let json = String(decoding: summary.json, as: UTF8.self)
        #expect(!json.contains("pa55word") && !json.contains("word@"))
    }

    @Test(arguments: [
        ("<!channel>", "＜!channel＞"),
        ("<http://evil.example/|Login>", "＜http：//evil.example/|Login＞"),
        ("@here", "＠here"), ("[Login](evil.example)", "[Login]（evil.example）"),
        ("&lt;!here&gt;", "＆lt;!here＆gt;"), ("fetch[17]", "fetch[17]"), ("A#1_é.csv", "A#1_é.csv"),
    ])
    func `an id is no mention and no link in a chat`(id: String, shown: String) throws {
        let summary = Self.summary(1, Self.totals(1, succeeded: 0), ids: [id])
        #expect(try Self.text(summary).hasSuffix(" did not succeed: \(shown) (skipped)"))
        let tasks = try JSONValue(bytes: summary.json)["tasks"]
        #expect(tasks?[0]?["id"]?.string == id)
    }

    @Test func `a long list of tasks is cut`() throws {
        let ids = (0..<30).map { "t\($0)" }
        let text = try Self.text(Self.summary(1, Self.totals(40, succeeded: 10), ids: ids))
        #expect(text.contains("30 of 40 tasks did not succeed: t0 (skipped)"))
        #expect(text.hasSuffix("t19 (skipped), …"))
    }

    @Test func `a good run is one short sentence`() throws {
        #expect(
            try Self.text(Self.summary(0, Self.totals(1, succeeded: 1))).hasSuffix(
                ": 1 of 1 task succeeded"
            )
        )
    }
}
