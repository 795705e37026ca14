import JobFile
import Testing
import TransferModel

@testable import Plan

@Suite struct KeptTasksTests {
    private static let job = """
        version: 1
        data:
          login:
            url: https://a/login
            capture: { session: { json: /id } }
        uploads:
          order: { url: https://a/orders, json: { id: 1 } }
        downloads:
          first: { url: https://a/1, to: out/1, priority: high, headers: { X-A: b } }
          each:
            forEach: { items: [x, y] }
            url: https://a/${item}
            to: out/${item}
          guided: { url: "https://a/${task.login.session}", needs: [login], to: out/2 }
          last: { url: https://a/3, to: out/3, retry: { attempts: 2 } }
        """

    private static func plan(keeping most: Int, only: [String] = []) throws -> Plan {
        let document = try #require(Document.parse(Array(job.utf8), name: "job.yaml").document)
        return try Plan.make(
            from: document,
            options: PlanOptions {
                $0.only = only
                $0.mostKeptTasks = most
            }
        )
    }

    private static func description(of task: TaskSpec) -> String {
        var text = ""
        dump(task, to: &text)
        return text
    }

    @Test(arguments: [1, 3, 4, 100])
    func `a kept task is the same in the first and the second reading`(
        most: Int
    ) throws {
        let reading = try Self.plan(keeping: 0)
        let keeping = try Self.plan(keeping: most)
        let captured: CapturedValues = [0: [CapturedValue("session", "s")]]
        for index in 0..<reading.taskCount {
            let expected = Self.description(of: try reading.task(at: index, captured: captured))
            #expect(expected.contains(reading.id(of: index)))
            for _ in 0..<2 {
                let task = try keeping.task(at: index, captured: captured)
                #expect(Self.description(of: task) == expected)
            }
        }
    }

    @Test func `tasks beside left-out ones keep their own settings`() throws {
        let plan = try Self.plan(keeping: 100, only: ["last"])
        #expect(plan.taskCount == 1)
        #expect(try plan.task(at: 0).id == "last")
        #expect(try plan.task(at: 0).retry.attempts == 2)
    }
}
