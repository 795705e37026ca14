import TestSupport
import Testing
import TransferModel

/// Bodies other than JSON, texts and single files, sent by the built executable.
@Suite struct UploadBodyTests {
    // fstat(2) says that they are empty.
    @Test func `a file of the kernel is sent and fetched with its content`() throws {
        let content = try Command("cat", ["/proc/version"]).run().standardOutput
        let server = try ScriptedServer { _ in .ok("") }
        let job = try JobFolder(
            """
            version: 1
            defaults: { allowsReadAccessTo: [/proc] }
            uploads:
              file: { url: \(server.url("/file")), file: /proc/version }
              parts:
                url: \(server.url("/parts"))
                multipart: { a: { file: /proc/version }, b: { file: /proc/version } }
            downloads:
              copy: { url: "file:///proc/version", to: copy }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let bodies = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies.contains(content))
        #expect(bodies.contains { $0.ranges(of: content).count == 2 })
        #expect(try job.folder.text("copy") == content)
    }

    @Test func `a compressed order inflates to its JSON`() throws {
        let server = try ScriptedServer(["/": [.status(201)]])
        let job = try JobFolder(
            """
            version: 1
            uploads:
              order:
                url: \(server.url("/"))
                json: { itemID: [1, 2, 3], orderedAt: !!timestamp 2026-11-21 }
                encoding:
                  contentEncoding: gzip
                  keyEncodingStrategy: convertToSnakeCase
                  dateEncodingStrategy: secondsSince1970
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let request = try #require(server.requests.first)
        #expect(request.headers["Content-Encoding"] == "gzip")
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(request.headers["Content-Length"] == "\(request.body.count)")
        let path = try job.folder.write(request.body, to: "body.gz")
        let inflated = try Command("gzip", ["-dc", path]).run().standardOutput
        #expect(inflated == #"{"item_id":[1,2,3],"ordered_at":1795219200}"#)
        let exchange = try #require(run.exchanges("order").first)
        let original = exchange["countOfRequestBodyBytesBeforeEncoding"]?.integer
        #expect(original == Int64(inflated.utf8.count))
    }

    @Test func `a form arrives as a browser would send it`() throws {
        let server = try ScriptedServer(["/": [.ok("")]])
        let job = try JobFolder(
            """
            version: 1
            uploads:
              form: { url: \(server.url("/")), form: { q: "a b&c", tag: [1, é] } }
            """
        )
        #expect(try job.run().code == 0)
        let request = try #require(server.requests.first)
        #expect(request.text == "q=a+b%26c&tag=1&tag=%C3%A9")
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
    }

    @Test func `nginx gets the parts that curl would send it`() throws {
        let nginx = try Nginx()
        let job = try JobFolder(
            """
            version: 1
            uploads:
              parts:
                url: \(nginx.origin)/orders/parts
                multipart:
                  note: hello
                  photo: { file: photo.bin, contentType: image/x-test }
            """
        )
        let photo = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }
        try job.folder.write(photo, to: "photo.bin")
        #expect(try job.run().code == 0)
        let curl = try Command(
            "curl",
            [
                "-sS", "-F", "note=hello", "-F", "photo=@photo.bin;type=image/x-test",
                nginx.origin + "/orders/curl",
            ],
            workingFolder: job.folder.path
        ).run()
        #expect(curl.status == .exit(0), "\(curl.standardError)")
        let requests = try nginx.requests()
        let bodies = requests.map { request -> [[UInt8]] in
            // Everything but the boundary, which is the first line.
            let boundary = request.body.prefix { $0 != 13 }
            return request.body.split(separator: Array(boundary)).map(Array.init)
        }
        #expect(bodies.count == 2)
        #expect(bodies.first == bodies.last)
    }

    @Test func `a large file goes out in a part with little memory`() throws {
        let nginx = try Nginx(locations: "location = /drop { return 200; }")
        let job = try JobFolder(
            """
            version: 1
            uploads:
              large:
                url: \(nginx.origin)/drop
                multipart: { first: { file: large.bin }, second: { file: large.bin } }
            """
        )
        let size: Int64 = 600 << 20
        let made = try Command("truncate", ["-s", "\(size)", job.folder.path("large.bin")]).run()
        #expect(made.status == .exit(0))
        // Half the memory that one of the two files would take, the program's libraries included.
        let limited = try job.runCommand().limitedToData(ofKibibytes: 300_000)
        let run = try limited.run().reported(in: job.folder)
        #expect(run.code == 0, "\(run.command.standardError)")
        let sent = try #require(run.task("large")?["countOfBytesSent"]?.integer)
        #expect(sent > 2 * size && sent < 2 * size + 1000)
        #expect(run.task("large")?["countOfBytesExpectedToSend"]?.integer == sent)
    }

    @Test func `a command is run again for the next attempt`() throws {
        let server = try ScriptedServer(["/": [.unavailable(), .hangUp, .ok("")]])
        let job = try JobFolder(
            """
            version: 1
            uploads:
              dump:
                url: \(server.url("/"))
                method: PUT
                stream: { command: [./dump, "two words"], contentType: text/csv }
                retry: { attempts: 4, backoff: { initial: 1ms } }
            """
        )
        let script = "#!/bin/sh\necho \"$1\" >> log\ncat log\n"
        try job.folder.write(script, to: "dump", mode: 0o755)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let line = "two words\n"
        #expect(server.requests.map(\.text) == [line, line + line, line + line + line])
        #expect(server.requests.allSatisfy { $0.headers["Content-Type"] == "text/csv" })
        #expect(run.task("dump")?["countOfBytesExpectedToSend"]?.isNull == true)
        #expect(run.attempts("dump").count == 3)
    }

    @Test func `a command that fails after half of its output fails the task`() throws {
        let server = try ScriptedServer(["/": [.ok("")]])
        let job = try JobFolder(
            """
            version: 1
            uploads:
              dump:
                url: \(server.url("/"))
                stream: { command: [sh, -c, "head -c 100000 /dev/zero; echo broken >&2; exit 9"] }
            """
        )
        let run = try job.run()
        #expect(run.code == 1)
        #expect(run.kind("dump") == "localIO")
        #expect(run.attempts("dump").count == 1)
        #expect(run.command.standardError.contains("ended with status 9"))
        #expect(run.command.standardError.contains("broken"))
        #expect(server.requests.isEmpty)
    }

    @Test func `a named pipe is sent once, and validation leaves its writer alone`() throws {
        let server = try ScriptedServer(["/": [.ok(""), .unavailable(), .ok("")]])
        let job = try JobFolder(
            """
            version: 1
            uploads:
              rows:
                url: \(server.url("/"))
                method: PUT
                stream: { fifo: rows }
            """
        )
        #expect(try Command("mkfifo", [job.folder.path("rows")]).run().status == .exit(0))
        for (outcome, number) in [("succeeded", 1), ("failed", 2)] {
            let writer = try Command(
                "sh",
                ["-c", "echo row \(number) > rows"],
                workingFolder: job.folder.path
            ).start()
            #expect(try job.runner(["validate", "job.yaml"]).status == .exit(0))
            let run = try job.run()
            #expect(run.outcome("rows") == outcome)
            #expect(run.attempts("rows").count == 1)
            #expect(try writer.finish().status == .exit(0))
        }
        #expect(server.requests.map(\.text) == ["row 1\n", "row 2\n"])
    }
}
