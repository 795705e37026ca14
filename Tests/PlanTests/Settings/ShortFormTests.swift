import JobFile
import Plan
import Testing
import TransferModel

@Suite struct ShortFormTests {
    private static func plan() throws -> Plan {
        try TestJob.plan(
            """
            version: 1
            defaults: { retry: 7 }
            data:
              login: { url: "https://a.example/", retry: { backoff: { initial: 3s } } }
              next: { url: "https://a.example/", needs: login, retry: 2 }
              each: { forEach: { items: [a, b] }, url: "https://a.example/${item}", needs: login }
              last: { url: "https://a.example/", needs: "each[b]", retry: "${env.TRIES:-9}" }
            """
        )
    }

    @Test func `a number is the attempts of a retry, and the rest is inherited`() throws {
        let plan = try Self.plan()
        let policies = try (0..<plan.taskCount).map { try plan.task(at: $0).retry }
        #expect(policies.map(\.attempts) == [7, 2, 7, 7, 9])
        #expect(policies[0].backoff.initial == .seconds(3))
        #expect(policies[1].backoff == RetryPolicy().backoff)
    }

    @Test func `the plan lists the attempts of a short form`() throws {
        var text = ""
        PlanListing(try Self.plan()).writeText { text += $0 }
        let attempts = text.split(separator: "\n").filter { $0.contains("retry.attempts") }
        #expect(attempts.count == 5)
        for (line, number) in zip(attempts, ["7", "2", "7", "7"]) {
            #expect(line.split(separator: " ").dropFirst().first.map(String.init) == number)
        }
    }

    @Test func `an id stands for a list of one need`() throws {
        let plan = try Self.plan()
        #expect(plan.needs(of: 1) == ["login"])
        #expect(plan.needs(of: 2) == ["login"])
        #expect(plan.needs(of: 4) == ["each[b]"])
    }
}
