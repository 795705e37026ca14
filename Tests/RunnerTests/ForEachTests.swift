import TestSupport
import Testing

@Suite struct ForEachTests {
    @Test func `2 hundred rows of a CSV file become files under their names`() throws {
        let nginx = try Nginx()
        for number in 0..<200 { try nginx.root.write("body \(number)", to: "f\(number).txt") }
        let job = try JobFolder(
            """
            version: 1
            downloads:
              get:
                forEach: { csv: data/rows.csv, key: "${item.sku}" }
                url: \(nginx.origin)/${item.file}?run=${run.id}
                to: out/${item.sku}.txt
                description: ${item.name}
            data:
              again:
                forEach: { csv: data/rows.csv, key: "${item.sku}" }
                url: \(nginx.origin)/${item.file}
                needs: ["get[${item.sku}]"]
              last: { url: "\(nginx.origin)/f0.txt", needs: [again] }
            """
        )
        let rows = (0..<200).map { "f\($0).txt,A-\($0),\"name, \($0)\"\r\n" }
        try job.folder.makeFolder("data")
        try job.folder.write("file,sku,name\r\n" + rows.joined(), to: "data/rows.csv")
        let run = try job.run("--progress", "none")
        #expect(run.code == 0, "\(run.command.standardError)")
        for number in 0..<200 {
            #expect(try job.folder.text("out/A-\(number).txt") == "body \(number)")
        }
        let task = try #require(run.task("get[A-199]"))
        #expect(task["taskDescription"]?.string == "name, 199")
        #expect(task["source"]?["line"]?.integer == 3)
        let identifier = try #require(run.report["run"]?["id"]?.string)
        let url = task["originalRequest"]?["url"]?.string
        #expect(url?.hasSuffix("?run=\(identifier)") == true)
        #expect(run.report["summary"]?["succeeded"]?.integer == 401)
    }

    @Test func `a failed row skips those that need it and no others`() throws {
        let server = try ScriptedServer([
            "/a": [.ok("a")], "/b": [.status(404)], "/then": [.ok("x")],
        ])
        let job = try JobFolder(
            """
            version: 1
            data:
              get: { forEach: { items: [a, b] }, url: "\(server.origin)/${item}" }
              then: { forEach: { items: [a, b] }, url: "\(server.origin)/then", needs: ["get[${item}]"] }
              all: { forEach: { range: [1, 3] }, url: "\(server.origin)/then", needs: [get] }
            """
        )
        let run = try job.run()
        #expect(run.code == 1)
        #expect(run.outcome("then[a]") == "succeeded")
        #expect(run.outcome("then[b]") == "skipped")
        #expect((1...3).map { run.outcome("all[\($0)]") } == ["skipped", "skipped", "skipped"])
    }

    @Test func `--only selects one task of a forEach by its key`() throws {
        let server = try ScriptedServer(["/2": [.ok("a")]])
        let job = try JobFolder(
            "version: 1\ndata: { get: { forEach: { range: [1, 3] }, url: '\(server.origin)/${item}' } }"
        )
        let run = try job.run("--only", "get[2]")
        #expect(run.code == 0)
        #expect(run.report["tasks"]?.elements.map { $0["id"]?.string } == ["get[2]"])
        let wrong = try job.runCommand(["--only", "get[4]"]).run()
        #expect(wrong.status == .exit(2))
        #expect(wrong.standardError.contains("did you mean `get["))
    }

    @Test(arguments: ["text", "json", "github", "sarif"])
    func `a bad row is shown at its line of the data file`(format: String) throws {
        let job = try JobFolder(
            "version: 1\ndata: { get: { forEach: { csv: rows.csv }, url: 'http://a.test/${item.id}' } }"
        )
        try job.folder.write("id,name\n1,one\n2,two,three\n4\n", to: "rows.csv")
        let outcome = try job.runner(["validate", "job.yaml", "--format", format])
        #expect(outcome.status == .exit(3))
        let text = outcome.standardOutput + outcome.standardError
        let place = [
            "text":
                "rows.csv:3:7: error: `csv`: the row has 3 fields, the header 2 [job.bad-row]\n3 | •••,•••,•••",
            "json": #""file": "rows.csv""#,
            "github": "::error file=rows.csv,line=3,endLine=3,col=7",
            "sarif": #""uri": "rows.csv""#,
        ]
        #expect(try text.contains(#require(place[format])), "\(text)")
    }

    @Test func `a write to a data file during the run fails the remaining rows`() throws {
        let gate = try Gate()
        let server = try ScriptedServer(["/1": [Reply([.wait(gate)]) + Reply.ok("a").steps]])
        let job = try JobFolder(
            """
            version: 1
            data:
              get: { forEach: { csv: rows.csv }, url: "\(server.origin)/${item.id}" }
            schedule: { maxConcurrentTasks: 1 }
            """
        )
        try job.folder.write("id\n1\n2\n3\n", to: "rows.csv")
        let running = try job.runCommand().start()
        try server.waitForRequests(1)
        try job.folder.write("id\n1\n../x\n3\n", to: "rows.csv")
        gate.open()
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 1, "\(run.command.standardError)")
        #expect(run.outcome("get[1]") == "succeeded")
        #expect(run.kind("get[#2]") == "localIO" && run.kind("get[#3]") == "localIO")
        let message = run.task("get[#2]")?["error"]?["message"]?.string
        #expect(message?.contains("`rows.csv` has changed") == true)
        #expect(server.requests.count == 1)
    }
}
