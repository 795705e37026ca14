import TestSupport
import Testing
import TransferModel

/// Tasks whose URLs have no server, by the built executable.
@Suite struct LocalURLTests {
    @Test func `a download of a data URL is published with its checksum`() throws {
        let job = try JobFolder(
            """
            version: 1
            downloads:
              text:
                url: "data:text/plain;base64,aGVsbG8gd29ybGQK"
                to: out/hello.txt
                checksum: sha256:a948904f2f0f479b8f8197694b30184b0d2ed1c1cd2a1ec0fb85d299a192a447
              other:
                url: "data:,other"
                to: out/other.txt
                checksum: sha256:a948904f2f0f479b8f8197694b30184b0d2ed1c1cd2a1ec0fb85d299a192a447
            """
        )
        let run = try job.run()
        #expect(run.code == 6, "\(run.command.standardError)")
        #expect(run.outcome("text") == "succeeded")
        #expect(try job.folder.text("out/hello.txt") == "hello world\n")
        #expect(run.outcome("other") == "failed")
        #expect(run.kind("other") == "integrity")
        #expect((try? job.folder.text("out/other.txt")) == nil)
    }

    @Test func `a data task expects, captures and hands on the content of its URL`() throws {
        let server = try ScriptedServer { .ok($0.path) }
        let job = try JobFolder(
            """
            version: 1
            variables: { name: "a/b #1, 100%" }
            data:
              settings:
                url: 'data:application/json,{"user":"ada","text":"${var.name}"}'
                expect: { statusCode: 200, mimeType: application/json, json: { /user: ada } }
                capture: { user: { json: /user }, text: { json: /text } }
              user:
                url: "\(server.origin)/users/${task.settings.user}"
                needs: [settings]
              again:
                url: "data:text/plain,<${task.settings.text}>"
                needs: [settings]
                responseTo: out/again
              wrong:
                url: "data:,x"
                expect: { mimeType: application/json }
                required: false
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.path) == ["/users/ada"])
        #expect(try job.folder.text("out/again") == "<a/b #1, 100%>")
        #expect(run.outcome("wrong") == "failed")
        let exchange = run.exchanges("settings").first
        #expect(exchange?["resourceFetchType"]?.string == "local")
        #expect(exchange?["response"]?["statusCode"]?.integer == 200)
        #expect(exchange?["remoteAddress"]?.isNull == true)
    }

    @Test(arguments: [
        "data:,x", "DATA:text/html,x", "file:///etc/passwd", "ftp://{}/x", "ftps://{}/x",
        "sftp://{}/x", "notes://{}/x",
    ])
    func `no redirect leads to another scheme`(location: String) throws {
        let target = try ScriptedServer { _ in .ok("x") }
        let place = location.replacing("{}", with: String(target.origin.dropFirst(7)))
        for status in [301, 302, 303, 307, 308] {
            let server = try ScriptedServer(["/": [.redirect(status, to: place)]])
            let job = try JobFolder(
                """
                version: 1
                downloads: { a: { url: "\(server.url("/"))", to: out, retry: { attempts: 1 } } }
                """
            )
            let run = try job.run()
            #expect(run.code == 1)
            #expect(run.kind("a") == "redirectLimit")
            #expect((try? job.folder.text("out")) == nil)
        }
        #expect(target.requests.isEmpty)
    }

    @Test(arguments: [
        ("${task.a.text}", "data:,x"), ("${raw:task.a.text}", "data:,x"),
        ("${raw:task.a.text},x", "DATA:"), ("${task.a.text}", "file:///etc/passwd"),
        ("${task.a.text}", "sftp://127.0.0.1/x"),
    ])
    func `a captured value does not choose another scheme`(url: String, text: String) throws {
        let server = try ScriptedServer(["/a": [.ok(#"{"text":"\#(text)"}"#)]])
        let job = try JobFolder(
            """
            version: 1
            data:
              a: { url: "\(server.url("/a"))", capture: { text: { json: /text } } }
              b: { url: "\(url)", needs: [a], responseTo: out }
            """
        )
        let run = try job.run()
        #expect(run.code == 1, "\(run.command.standardError)")
        #expect(run.outcome("b") == "failed")
        #expect(run.kind("b") == "protocolViolation")
        #expect((try? job.folder.text("out")) == nil)
    }

    @Test func `a long data URL is delivered in steps`() throws {
        let content = String(repeating: "0123456789abcdef", count: 3 << 16)
        let job = try JobFolder(
            """
            version: 1
            downloads: { a: { url: "data:,\(content)", to: out } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.text("out") == content)
    }

    @Test func `a file is read from the folders that its session names, and nowhere else`() throws {
        let job = try JobFolder("")
        try job.folder.makeFolder("in")
        try job.folder.makeFolder("in/deep")
        try job.folder.makeFolder("in/folder")
        try job.folder.write("content", to: "in/deep/a b.txt")
        try job.folder.write("secret", to: "secret")
        try job.folder.link("in/inside", to: "deep/a b.txt")
        try job.folder.link("in/outside", to: "../secret")
        try job.folder.link("in/absolute", to: job.folder.path("secret"))
        try job.folder.link("in/up", to: "..")
        try job.folder.link("in/process", to: "/proc/self")
        try job.folder.write(
            """
            version: 1
            variables: { in: "\(job.folder.path("in"))", name: a b.txt }
            defaults: { allowsReadAccessTo: ["${var.in}"], retry: { attempts: 3 } }
            downloads:
              file: { url: "file://${var.in}/deep/${var.name}", to: out/ }
              local: { url: "file://localhost${var.in}/deep/a%20b.txt", to: out/local }
              link: { url: "FILE:${raw:var.in}/inside", to: out/link }
              missing: { url: "file://${var.in}/missing", to: out/missing }
              outside: { url: "file://${var.in}/outside", to: out/outside }
              absolute: { url: "file://${var.in}/absolute", to: out/absolute }
              up: { url: "file://${var.in}/up/secret", to: out/up }
              process: { url: "file://${var.in}/process/environ", to: out/process }
              folder: { url: "file://${var.in}/folder", to: out/folder }
            """,
            to: "job.yaml"
        )
        let run = try job.run()
        #expect(run.code == 4, "\(run.command.standardError)")
        #expect(["file", "local", "link"].allSatisfy { run.outcome($0) == "succeeded" })
        #expect(try job.folder.list("out").sorted() == ["a b.txt", "link", "local"])
        #expect(try job.folder.text("out/a b.txt") == "content")
        for id in ["missing", "outside", "absolute", "up", "process", "folder"] {
            #expect(run.kind(id) == "localIO", "\(id)")
            #expect(run.attempts(id).count <= 1, "\(id)")
        }
        let exchange = run.exchanges("file").first
        #expect(exchange?["resourceFetchType"]?.string == "local")
        #expect(exchange?["countOfResponseBodyBytesAfterDecoding"]?.integer == 7)
    }

    @Test func `a long file is checked like a download, and captured values stay in its folder`()
        throws
    {
        let job = try JobFolder("")
        try job.folder.makeFolder("in")
        let content = String(repeating: "0123456789abcdef", count: 5 << 16)
        try job.folder.write(content, to: "in/long")
        try job.folder.write(#"{"name":"long","up":"../job.yaml"}"#, to: "in/names.json")
        let front = "file://\(job.folder.path("in"))"
        try job.folder.write(
            """
            version: 1
            defaults: { allowsReadAccessTo: [in/] }
            data:
              names:
                url: "\(front)/names.json"
                capture: { name: { json: /name }, up: { json: /up } }
            downloads:
              long: { url: "\(front)/${task.names.name}", to: long, needs: [names] }
              up: { url: "\(front)/${task.names.up}", to: up, needs: [names] }
              small: { url: "\(front)/long", to: small, expect: { maximumSize: 1MiB } }
              sum:
                url: "\(front)/long"
                to: sum
                checksum: sha256:\(String(repeating: "0", count: 64))
            """,
            to: "job.yaml"
        )
        let run = try job.run()
        #expect(run.code == 6, "\(run.command.standardError)")
        #expect(try job.folder.text("long") == content)
        #expect(run.kind("up") == "protocolViolation")
        #expect(run.kind("small") == "tooLarge")
        #expect(run.kind("sum") == "integrity")
        #expect(!job.folder.contains("up") && !job.folder.contains("sum"))
    }
}
