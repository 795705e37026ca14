import TestSupport
import Testing

@Suite struct TemplateTests {
    @Test func `orders are made of a JSON file, rows and captured values`() throws {
        let server = try ScriptedServer([
            "/login": [.status(200, text: #"{"shop":7}"#)], "/orders": [.ok(""), .ok("")],
        ])
        let job = try JobFolder(
            """
            version: 1
            data: { login: { url: "\(server.url("/login"))", capture: { shop: { json: /shop } } } }
            uploads:
              order:
                forEach: { csv: orders.csv }
                url: \(server.url("/orders"))
                needs: login
                json: { fromFile: order.json }
            """
        )
        try job.folder.write("id,article\n1,\"a \"\"b\"\"\"\n2,c\n", to: "orders.csv")
        try job.folder.write(
            #"{"shop":"${task.login.shop}","id":"${item.id}","article":"${item.article}"}"#,
            to: "order.json"
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(
            Set(server.requests(for: "/orders").map(\.text)) == [
                #"{"shop":7,"id":"1","article":"a \"b\""}"#,
                #"{"shop":7,"id":"2","article":"c"}"#,
            ]
        )
    }

    @Test func `a fault of a template names the template`() throws {
        let job = try JobFolder(
            "version: 1\nuploads: { a: { url: 'https://a.test', json: { fromFile: order.json } } }"
        )
        try job.folder.write(#"{"items":[{"id":"${var.id}"}]}"#, to: "order.json")
        let outcome = try job.runner(["validate", "job.yaml"])
        #expect(outcome.status == .exit(3))
        #expect(outcome.standardError.contains("in `order.json` at `/items/0/id`"))
    }
}
