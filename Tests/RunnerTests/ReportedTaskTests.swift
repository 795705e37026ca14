import JSON
import TestSupport
import Testing

/// The members of the report that repeat the properties of `URLSession` and `URLSessionTask`.
@Suite struct ReportedTaskTests {
    @Test func `the report repeats the description, the priority and the earliest start`() throws {
        let server = try ScriptedServer { request in
            request.path == "/cut"
                ? .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabcde", then: [.close])
                : .ok("text")
        }
        let job = try JobFolder(
            """
            version: 1
            variables: { team: orders }
            sessions:
              plain: {}
              told: { sessionDescription: "of ${var.team}" }
            defaults: { retry: { attempts: 1 } }
            data:
              a: { session: plain, url: \(server.url("/a")) }
              b:
                session: told
                url: \(server.url("/b"))
                priority: high
                earliestBeginDate: "2020-02-29T12:00:00+01:00"
              cut: { session: told, url: \(server.url("/cut")), priority: 0 }
              never: { session: told, url: \(server.url("/c")), needs: [cut], earliestBeginDate: 1ms }
            """
        )
        let run = try job.run()
        let (a, b) = (try #require(run.task("a")), try #require(run.task("b")))
        let (cut, never) = (try #require(run.task("cut")), try #require(run.task("never")))
        #expect(a["sessionDescription"] == .null)
        #expect(a["priority"]?.double == 0.5)
        #expect(a["earliestBeginDate"] == .null)
        #expect(a["progress"]?["fractionCompleted"]?.double == 1)
        #expect(a["progress"]?["totalUnitCount"]?.integer == 4)
        #expect(b["sessionDescription"]?.string == "of orders")
        #expect(b["priority"]?.double == 0.75)
        #expect(b["earliestBeginDate"]?.string == "2020-02-29T11:00:00.000000Z")
        #expect(cut["priority"]?.double == 0)
        #expect(cut["progress"]?["completedUnitCount"]?.integer == 5)
        #expect(cut["progress"]?["fractionCompleted"]?.double == 0.5)
        #expect(never["sessionDescription"]?.string == "of orders")
        #expect(never["earliestBeginDate"]?.string != nil)
        #expect(never["progress"]?["fractionCompleted"] == .null)
    }
}
