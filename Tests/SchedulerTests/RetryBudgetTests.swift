import Testing

@testable import Scheduler

@Suite struct RetryBudgetTests {
    /// How many of `tries` retries the budget allows.
    private func taken(_ budget: inout RetryBudget, tries: Int) -> Int {
        (0..<tries).count { _ in budget.take() }
    }

    @Test func `a retry costs a token and ten successes return one`() {
        var budget = RetryBudget(tokens: 1)
        let first = taken(&budget, tries: 3)
        for _ in 1...9 { budget.deposit() }
        let second = taken(&budget, tries: 3)
        budget.deposit()
        let third = taken(&budget, tries: 3)
        #expect([first, second, third] == [1, 0, 1])
    }

    @Test func `the bucket holds no more than its capacity`() {
        var budget = RetryBudget()
        for _ in 1...100 { budget.deposit() }
        let allowed = taken(&budget, tries: 2 * RetryBudget.usualCapacity)
        #expect(allowed == RetryBudget.usualCapacity)
    }

    @Test(arguments: [(1, 500), (501, 500), (502, 501), (10_000, 9_999)])
    func `the run's retries suffice for every task's attempts`(attempts: Int, tokens: Int) {
        var budget = RetryBudget(mostAttempts: attempts)
        #expect(taken(&budget, tries: 20_000) == tokens)
    }
}
