import JobFile
import Plan
import Testing
import TransferModel

@Suite struct LockRequestTests {
    private func request(
        _ job: String,
        variables: [String: String] = [:]
    ) throws -> LockRequest? {
        let parsed = Document.parse(Array(job.utf8), name: "jobs/nightly.yaml")
        let options = PlanOptions {
            $0.variables = variables
            $0.workingFolder = "/srv"
        }
        return LockRequest(of: try #require(parsed.document), options: options)
    }

    @Test func `a plan has the job's name or the file's stem`() throws {
        let named =
            "version: 1\nvariables: { of: a }\nname: orders-${var.of}\nschedule: { lock: skip }"
        #expect(try request(named) == LockRequest(jobName: "orders-a", policy: .skip))
        #expect(try request(named, variables: ["of": "b"])?.jobName == "orders-b")
        let unnamed = try request("version: 1\nschedule: { lock: wait 5m }")
        #expect(unnamed == LockRequest(jobName: "nightly", policy: .wait(.seconds(300))))
    }

    @Test func `the tasks are not checked`() throws {
        let job = "version: 1\nschedule: { lock: fail }\ndata: { a: { url: nonsense, needs: [b] } }"
        #expect(try request(job)?.policy == .fail)
    }

    @Test(arguments: [
        "version: 1", "version: 1\nschedule: { deadline: 1h }", "version: 1\nschedule: 5", "- a",
        "version: 1\nschedule: { lock: sometimes }", "version: 2\nschedule: { lock: fail }",
        "version: 1\nschedule: { lock: fail }\nname: ${var.missing}",
        "version: 1\nschedule: { lock: fail }\nsnake: 1",
    ])
    func `a job without schedule.lock or with a fault at the top has no lock request`(job: String)
        throws
    {
        #expect(try request(job) == nil)
    }
}
