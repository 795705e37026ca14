import Diagnostics
import Plan
import Testing
import TransferModel

/// Jobs with more tasks than a plan keeps as values.
@Suite struct ManyTasksTests {
    private static let count = 1_500

    /// A job of many downloads, of which some have further lines.
    private static func job(_ front: String = "", _ lines: (Int) -> String?) -> String {
        var text = "version: 1\n" + front + "downloads:\n"
        for number in 0..<count {
            text += "  t\(number):\n    url: https://a.example/\(number)\n    to: out/\(number)\n"
            if let line = lines(number) { text += "    \(line)\n" }
        }
        return text
    }

    @Test(arguments: [0, 30, 64, 1_000, 1_498, 1_499])
    func `a fault is reported once and in its place`(number: Int) throws {
        let text = Self.job { $0 == number ? "priority: 7" : nil }
        let line = 2 + 3 * number + 4
        #expect(try TestJob.faults(text) == ["\(line):15 job.out-of-range"])
    }

    @Test func `many faults are found in the order of the file`() throws {
        let faulty = stride(from: 5, to: Self.count, by: 41)
        let text = Self.job { faulty.contains($0) ? "needs: [nobody]" : nil }
        let expected = faulty.enumerated().map { order, number in
            "\(2 + 3 * number + order + 4):13 job.unknown-task"
        }
        #expect(try TestJob.faults(text) == expected)
    }

    @Test func `the rest is not checked when too many faults were found`() throws {
        let faults = try TestJob.faults(Self.job { _ in "priority: 7" })
        #expect(faults.count == 1_001)
        #expect(faults.last == "4002:15 job.too-many-faults")
    }

    @Test func `the first warnings are listed in order`() throws {
        let text = Self.job { "headers: { X-A: $(HOME\($0)) }" }
        let warnings = try TestJob.plan(text).warnings
        #expect(warnings.map(\.range.start.line) == (0..<100).map { 6 + 4 * $0 })
        #expect(warnings.map(\.notes.count) == [Int](repeating: 0, count: 99) + [1])
    }

    @Test(arguments: [3, 40, 1_499])
    func `a variable counts as used in any place`(number: Int) throws {
        let text = Self.job { $0 == number ? "description: ${var.used}" : nil }
        let plan = try TestJob.plan(text, variables: ["used": "a", "spare": "b"])
        #expect(plan.warnings.map(\.code) == ["job.unused-variable"])
        #expect(plan.warnings.first?.message.contains("`spare`") == true)
        #expect(try plan.task(at: number).description == "a")
    }

    @Test func `every task has its declared settings`() throws {
        let text = Self.job(
            "data:\n  login: { url: https://a.example/, capture: { id: { json: /a } } }\n"
        ) {
            $0 % 3 == 0 ? "headers: { X: '${task.login.id}' }\n    needs: [login]" : nil
        }
        let plan = try TestJob.plan(text)
        #expect(plan.taskCount == Self.count + 1)
        for number in 0..<Self.count {
            let index = number + 1
            guard number % 3 != 0 else {
                #expect(Array(plan.captureUses.sources(of: index)) == [0])
                #expect(plan.needs(of: index) == ["login"])
                continue
            }
            let task = try plan.task(at: index)
            #expect(task.id == "t\(number)")
            #expect(task.request.url.text == "https://a.example/\(number)")
            #expect(task.destination?.path == "/jobs/out/\(number)")
        }
    }

    @Test func `a destination shared by distant tasks is an error`() throws {
        let text = Self.job { _ in nil }.replacing("to: out/1200\n", with: "to: out/40\n")
        #expect(try TestJob.faults(text) == ["\(2 + 3 * 1_200 + 3):9 job.duplicate-destination"])
    }
}
