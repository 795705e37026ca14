import TestSupport
import Testing
import TransferModel

@Suite struct UploadTests {
    @Test func `an order arrives as the JSON that the file declares, byte for byte`() throws {
        let server = try ScriptedServer(["/orders": [.status(201, text: #"{"ok":true}"#)]])
        let job = try JobFolder(
            #"""
            version: 1
            uploads:
              order:
                url: \#(server.url("/orders"))
                json:
                  items: [Cheese pizza, Diet soda]
                  customerId: "12345"
                  count: 2
                  price: 12.50
                  paid: true
                  note: null
                  path: a/b
                  text: "é\"\t\u2028"
                encoding: { outputFormatting: [sortedKeys, withoutEscapingSlashes] }
                responseTo: answers/order.json
            """#
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(request.headers["Content-Length"] == "\(request.body.count)")
        #expect(request.headers["Expect"] == nil)
        #expect(
            request.text
                == #"{"count":2,"customerId":"12345","items":["Cheese pizza","Diet soda"],"#
                + #""note":null,"paid":true,"path":"a/b","price":12.5,"text":"é\"\t"#
                + "\u{2028}\"}"
        )
        #expect(try job.folder.text("answers/order.json") == #"{"ok":true}"#)
        #expect(run.task("order")?["countOfBytesSent"]?.integer == Int64(request.body.count))
    }

    @Test func `a file arrives as it is, empty or large`() throws {
        let large = FileContent.patterned(3_000_000)
        let server = try ScriptedServer(["/large": [.ok("")], "/empty": [.ok("")]])
        let job = try JobFolder(
            """
            version: 1
            uploads:
              large: { url: \(server.url("/large")), method: PUT, file: large.bin }
              empty: { url: \(server.url("/empty")), method: PUT, file: empty.bin }
            """
        )
        try job.folder.write(large, to: "large.bin")
        try job.folder.write("", to: "empty.bin")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests(for: "/large").map(\.body) == [large])
        #expect(server.requests(for: "/empty").map(\.body) == [[]])
        #expect(server.requests.allSatisfy { $0.method == "PUT" })
    }

    @Test func `2 hundred orders to nginx are each sent once`() throws {
        let nginx = try Nginx()
        let orders = (0..<200).map {
            "  o\($0): { url: \(nginx.origin)/orders/\($0), json: { number: \($0) } }\n"
        }
        let job = try JobFolder("version: 1\nuploads:\n" + orders.joined())
        let run = try job.run("--progress", "none")
        #expect(run.code == 0, "\(run.command.standardError)")
        let bodies = try nginx.requests().map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies.sorted() == (0..<200).map { "{\"number\":\($0)}" }.sorted())
    }

    @Test func `a task's own header overrides the session's`() throws {
        let server = try ScriptedServer(["/": [.ok("")]])
        let job = try JobFolder(
            """
            version: 1
            sessions:
              s: { httpAdditionalHeaders: { X-Both: session, X-Session: session } }
            uploads:
              a: { url: \(server.url("/")), text: hello, headers: { x-both: task, X-Task: task } }
            """
        )
        #expect(try job.run().code == 0)
        let request = try #require(server.requests.first)
        #expect(request.headers.values(of: "X-Both") == ["task"])
        #expect(request.headers.values(of: "X-Session") == ["session"])
        #expect(request.headers.values(of: "X-Task") == ["task"])
        #expect(request.text == "hello")
    }

    @Test(arguments: ["", " ", "\\t "])
    func `a blank header is sent as an empty field`(value: String) throws {
        let server = try ScriptedServer(["/": [.ok("")]])
        let job = try JobFolder(
            """
            version: 1
            sessions:
              s: { httpAdditionalHeaders: { X-Session: "\(value)" } }
            uploads:
              a: { url: \(server.url("/")), text: hello, headers: { X-Task: "\(value)" } }
            """
        )
        #expect(try job.run().code == 0)
        let request = try #require(server.requests.first)
        #expect(request.headers.values(of: "X-Session") == [""])
        #expect(request.headers.values(of: "X-Task") == [""])
    }

    @Test func `an order on a kept connection that dies is sent once and not again`() throws {
        // The first answer keeps its connection; the order's is closed without an answer.
        let server = try ScriptedServer(["/first": [.ok("")], "/order": [.hangUp]])
        let job = try JobFolder(
            """
            version: 1
            data: { first: { url: \(server.url("/first")) } }
            uploads:
              order: { url: \(server.url("/order")), needs: [first], json: { id: 1 }, \
            retry: { attempts: 5, backoff: { initial: 1ms } } }
            """
        )
        let run = try job.run()
        #expect(run.outcome("order") == "failed")
        #expect(run.attempts("order").count == 1)
        #expect(server.requests(for: "/order").count == 1)
        #expect(server.requests(for: "/order").first?.indexOnConnection == 1)
    }

    @Test func `an order with an idempotency key is sent again with the same key`() throws {
        let server = try ScriptedServer(["/": [.hangUp, .status(201)]])
        let job = try JobFolder(
            """
            version: 1
            uploads:
              order:
                url: \(server.url("/"))
                json: { id: 1 }
                headers: { Idempotency-Key: '"order-1"' }
                retry: { attempts: 3, backoff: { initial: 1ms } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(
            server.requests.map { $0.headers["Idempotency-Key"] } == ["\"order-1\"", "\"order-1\""]
        )
        #expect(run.attempts("order").map { $0["outcome"]?.string } == ["failed", "succeeded"])
    }
}
