import TestSupport
import Testing

/// No format shows the values that a job file and its data files have under names of secrets;
/// everything else is shown.
@Suite struct ConfidentialFileTests {
    /// All that `validate` says of a job, by format.
    static func said(
        of text: [UInt8],
        _ rows: [String: String] = [:]
    ) throws -> [String: String] {
        let job = try JobFolder("")
        try job.folder.write(text, to: "job.yaml")
        for (name, text) in rows { try job.folder.write(text, to: name) }
        return try said(in: job)
    }

    private static func said(
        in job: JobFolder,
        of files: [String] = ["job.yaml"],
        environment: [String: String?] = [:]
    ) throws -> [String: String] {
        var said: [String: String] = [:]
        for format in ["text", "json", "sarif", "github", "gitlab"] {
            let outcome = try job.runner(
                ["validate"] + files + ["--format", format],
                environment: environment
            )
            said[format] = outcome.standardOutput + outcome.standardError
        }
        return said
    }

    /// Expects that `validate` finds a fault in each file and shows `hunter2` of none, in all
    /// formats; the files are checked together, each in a folder of its own beside the rows.
    static func expectNoSecret(
        in files: [String],
        _ rows: [String: String] = [:],
        environment: [String: String?] = [:],
        at place: SourceLocation = #_sourceLocation
    ) throws {
        let job = try JobFolder("")
        for (index, file) in files.enumerated() {
            try job.folder.makeFolder("f\(index)")
            try job.folder.write("version: 1\n\(file)\n", to: "f\(index)/job.yaml")
            for (name, text) in rows { try job.folder.write(text, to: "f\(index)/\(name)") }
        }
        let names = files.indices.map { "f\($0)/job.yaml" }
        for (format, said) in try said(in: job, of: names, environment: environment) {
            for line in said.split(separator: "\n") {
                #expect(!line.contains("hunter2"), "\(format)", sourceLocation: place)
            }
            for (index, file) in files.enumerated() {
                #expect(said.contains("f\(index)/"), "\(format): \(file)", sourceLocation: place)
            }
        }
    }

    @Test func `a secret is shown in no format`() throws {
        let rows = [
            "rows.csv": "id,user,password\nr1,hunter2\n",
            "rows.jsonl": "{\"id\":\"a\",\"password\":\"hunter2\"\n",
            "urls.csv": "id,url\na,htps://h/?token=hunter2\n",
            "torn.csv": "id,a\nr1,https://h/?token=hunter2,more\n",
            "keyless.csv": "password,b\nhunter2,b1\n",
            "right.csv": "id,password\nr1,hunter2pw\nr2,hunter2pw\n",
        ]
        try Self.expectNoSecret(in: Self.wrongFiles, rows, environment: ["TOKEN": "hunter2"])
    }

    @Test func `a secret that a slip has torn is shown in no format`() throws {
        try Self.expectNoSecret(in: Self.tornFiles)
    }

    @Test(arguments: ["hunter2", "<password>hunter2</password>", "- hunter2", "--- token=hunter2"])
    func `a file that is no job shows nothing of its text`(file: String) throws {
        for (format, said) in try Self.said(of: Array("\(file)\n".utf8)) {
            #expect(!said.contains("hunter2"), "\(format): \(said)")
            #expect(said.contains("job.wrong-type"), "\(format): \(said)")
        }
    }

    @Test(arguments: [
        "[sh, -c, \"curl -b sid=hunter2 https://h/\"]", "[curl, -bsid=hunter2]",
        "[curl, \"-b sid=hunter2\"]", "[curl, -sb, \"sid=hunter2\"]",
        "[curl, -u. \"b:hunter2\", x]",
        "[curl, --user., \"b:hunter2\"]", "[curl, -u_, \"b:hunter2\"]",
        "[curl, -user, \"b:hunter2\"]",
        "[curl, --uesr, \"b:hunter2\"]", "[curl, –-user, \"b:hunter2\"]",
        "[curl, -u1, \"b:hunter2\"]",
        "[curl, u, \"b:hunter2\"]", "[curl, -u, \"b;hunter2\"]", "[curl, -u, \"b hunter2\"]",
        "[curl, \"https//b:hunter2@h/\"]", "[curl, \"https://h/?token&hunter2\"]",
    ])
    func `a plan shows no login of a command whose option has a slip`(command: String) throws {
        let job = try JobFolder(
            "version: 1\nuploads: { a: { url: 'https://h/', stream: { command: \(command) } } }\n"
        )
        let outcome = try job.runner(["plan", "job.yaml"])
        #expect(outcome.status == .exit(0), "\(outcome)")
        #expect(outcome.standardOutput.contains("stream.command"), "\(outcome)")
        #expect(!outcome.standardOutput.contains("hunter2"), "\(outcome)")
    }

    @Test(arguments: ["dbPassword:hunter2", "hunter2", "=hunter2"])
    func `a wrong variable on the command line is not repeated`(variable: String) throws {
        let outcome = try JobFolder("version: 1\n").runner(
            ["validate", "job.yaml", "--var", variable]
        )
        #expect(outcome.status == .exit(2), "\(outcome)")
        #expect(!outcome.standardError.contains("hunter2"), "\(outcome)")
        #expect(outcome.standardError.contains("'--var <name=value>'"), "\(outcome)")
    }

    @Test func `what is no login is shown`() throws {
        let file = "version: 1\ndata: { a: { url: 'http://localhost:4873/@scope/name', x: y } }\n"
        let said = try Self.said(of: Array(file.utf8))
        #expect(said["text"]?.contains("http://localhost:4873/@scope/name") == true, "\(said)")
    }

    @Test func `keys, ids, words and names of variables stay readable beside secrets`() throws {
        let file = """
            version: 1
            sessions:
              main:
                credentials:
                  - { method: basic, host: a.example, user: admin, password: "$PASSWORD" }
                  - { method: bearer, host: b.example, token: "{{ token }}" }
            data:
              a:
                url: https://a.example/f
                headers: { X-Token: data, X-Secret: main, Authorization: [Basic, hunter2] }
                retrys: { method: basic, attempts: 3 }
            """
        for (format, said) in try Self.said(of: Array(file.utf8)) {
            for words in [
                "`password` in `credentials` of session `main` is not a secret",
                "unknown key `retrys` in data `a`", "did you mean `retry`?",
                "did you mean `${env.PASSWORD}`?", "did you mean `${var.token}`?",
            ] { #expect(said.contains(words), "\(format) \(said)") }
            #expect(!said.contains("hunter2"))
            if format == "text" {
                #expect(said.contains("    retrys: { •••: basic, •••: 3 }"))
            }
        }
    }

    @Test(arguments: [
        ("${secrets.shop-key}", "${secret.shop-key}"),
        ("${taks.get-token.token}", "${task.get-token.token}"),
        ("Bearer ${{ secrets.SHOP_KEY }}", "${secret.SHOP_KEY}"),
        ("${vars.api-token}", "${var.api-token}"),
        ("Bearer {{ secrets.SHOP_KEY }}", "${secret.SHOP_KEY}"),
    ])
    func `the name of a value stays readable in the place of a secret`(
        written: String,
        meant: String
    ) throws {
        let file = "data: { a: { url: 'https://h/', headers: { Authorization: '\(written)' } } }\n"
        for (format, said) in try Self.said(of: Array("version: 1\n\(file)".utf8)) {
            #expect(said.contains("did you mean `\(meant)`?"), "\(format) \(said)")
        }
    }

    @Test func `dots stand in their place behind bytes that are no UTF-8`() throws {
        let file = Array("a: caf".utf8) + [0xE9, 0xA0] + Array(" # password: hunter2\n".utf8)
        let said = try #require(Self.said(of: file)["text"])
        #expect(said.contains("1 | a: •••\n  |    ^~~\n"), "\(said)")
        #expect(!said.contains("hunter2"))
    }

    /// Not arguments themselves, which Swift Testing describes again and again.
    private static let longLines = [
        #"variables: {"#
            + (0..<1_000).map { "\"a\($0)token\": \"p\($0)x\"" }.joined(separator: ", ")
            + "}\nfoo: 1",
        "hooks: { onFinish: [" + (0..<2_000).map { "--password, x\($0)y" }.joined(separator: ", ")
            + "] }\nfoo: 1",
        "variables: { x: \"" + String(repeating: "token: ${env.X} ", count: 2_500) + "\" }",
        "variables: { password: \"" + String(repeating: "$(a", count: 25_000) + ")\" }\nfoo: 1",
        (0..<5_000).map { "key\($0): value\n" }.joined(),
        "foo: [\"" + String(repeating: "//bob:12/ab,", count: 7_500) + "@h\"]",
        "foo: [" + String(repeating: "https://bob:pa ss@h, ", count: 2_000) + "]",
        "foo: [" + String(repeating: "{ a@b: &x *y }, ", count: 2_000) + "\n",
        "foo: [" + String(repeating: "x${var.a}y, ", count: 2_000) + "]",
        "x-a: &a [" + (0..<150).map { "\"${var.v}x\($0)\"" }.joined(separator: ", ") + "]\nfoo: ["
            + String(repeating: "*a, ", count: 150) + "]\n"
            + (0..<150).map { "k\($0): 1\n" }.joined(),
    ]

    @Test(arguments: longLines.indices)
    func `many secrets on one line cost time in proportion`(index: Int) throws {
        let job = try JobFolder("version: 1\n\(Self.longLines[index])\n")
        // A quadratic search takes minutes in a debug build.
        let command = try job.command(["validate", "job.yaml"])
        let outcome = try command.limitedToCPUTime(ofSeconds: 10).run()
        #expect(outcome.status == .exit(3))
        #expect(!outcome.standardError.contains("p77x"))
    }

    @Test func `a long chain of variables hides a secret, and a wide one costs no time`() throws {
        var variables = ["  v0Token: hunter2", "  v0: \"${var.v0Token}\""]
        for number in 1...200 {
            let last = "${var.v\(number - 1)}"
            variables.append("  v\(number): \"\(number > 60 ? last : "${env.NO:-}" + last)\"")
        }
        for number in 0..<60 {
            let last = number == 0 ? "x" : "${var.w\(number - 1)}${var.w\(number - 1)}"
            variables.append("  w\(number): \"\(number < 12 ? last : "y${var.w\(number - 1)}")\"")
        }
        let job = try JobFolder(
            """
            version: 1
            variables:
            \(variables.joined(separator: "\n"))
            data:
              a: { url: "https://h/?q=${var.v200}" }
              b: { url: "https://h/${var.w11}" }
            uploads:
              c: { url: "https://h/?password=${env.Q:-hunter2}", json: { password:hunter2, b: 1 } }
            """
        )
        let plan = try job.runner(["plan", "job.yaml"])
        #expect(plan.status == .exit(0), "\(plan.standardError)")
        #expect(!plan.standardOutput.contains("hunter2"), "\(plan.standardOutput)")
        #expect(plan.standardOutput.contains("xxxx"))
    }

    @Test(arguments: ["text", "json"])
    func `a plan shows no secret that arrives through a variable or an item`(format: String) throws
    {
        let job = try JobFolder(
            """
            version: 1
            variables: { dbPassword: hunter2, both: "${var.dbPassword}", more: "x${var.both}" }
            sessions: { s: { httpAdditionalHeaders: { X-Note: "${var.both}" } } }
            uploads:
              a:
                url: "https://h/${var.more}"
                json: { note: "pw ${var.more}", list: [{ name: password, value: hunter2 }] }
            data:
              b:
                forEach: { items: [{ id: x, password: hunter2, also: "${var.both}" }] }
                url: "https://h/${item.id}?p=${item.password}"
                headers: { X-Foo: "${item.password:-hunter2}", X-Bar: "${item.also}" }
              c: { forEach: { csv: rows.csv }, url: "https://h/${item.id}?p=${item.password}" }
              d: { url: "https://h/?access_token=hunter2&x=y", capture: { token: { json: /access_token } } }
            """
        )
        try job.folder.write("id,password\nr1,hunter2\n", to: "rows.csv")
        let outcome = try job.runner(["plan", "job.yaml", "--format", format])
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        let text = outcome.standardOutput
        #expect(!text.contains("hunter2"), "\(text)")
        #expect(text.contains("•••${var.more}"))
        #expect(text.contains("https://h/r1•••") && text.contains("https://h/•••"))
    }

    @Test(arguments: [
        (
            #"https://h/?token=${env.T:?ask Bob & Alice}&x=1"#, "https://h/•••  (line 2)"
        ),
        (#"https://h:1/a/b.bin?a=b;token=hunter2#x"#, "https://h:1/a/b.bin•••  (line 2)"),
        (#"https://h/a:hunter2"#, "https://h/a•••  (line 2)"),
        (#"https://h/${env.T}/b"#, "https://h/${env.T}/b  (line 2)"),
        (#"https://h/${env.T:-hunter2}/b"#, "https://h/•••  (line 2)"),
    ])
    func `a plan shows of a URL what stands before its query`(
        url: String,
        shown: String
    ) throws {
        let job = try JobFolder("")
        let text = "version: 1\ndata: { a: { url: '\(url)' } }\n"
        try job.folder.write(Array(text.utf8), to: "job.yaml")
        let outcome = try job.runner(["plan", "job.yaml"], environment: ["T": "1"])
        #expect(outcome.standardOutput.contains(shown), "\(outcome)")
    }

    @Test func `an edit takes no expression out of a file`() throws {
        let rows = ["rows.csv": "id,url\na,htps://h/1\nb,htps://h/2\n"]
        let file = "version: 1\ndata: { a: { url: \"${item.url}\", forEach: { csv: rows.csv } } }\n"
        let said = try Self.said(of: Array(file.utf8), rows)
        #expect(said["json"]?.contains("replacement") == false, "\(said)")
    }

    @Test func `sources of secrets stay readable in a file that is no YAML`() throws {
        let file = "version: 1\nsecrets:\n  token:\n    env: API_TOKEN\n   origins: [https://h]\n"
        let said = try #require(try Self.said(of: Array(file.utf8))["text"])
        #expect(said.contains("origins: [https://h]"), "\(said)")
    }

    @Test(arguments: [
        #"{"credentials": {\n"pin": "hunter2"\n}}"#, #"{"tokens": [\n"hunter2"\n]}"#,
        #"{"password":\n"hunter2"}"#, "user=u&password=ab'hunter2&x=1",
        #"{"note":1,"pwd":"hunter2"}"#,
    ])
    func `a plan shows no secret of a body that is a text`(body: String) throws {
        let job = try JobFolder("")
        let lines = body.replacing("\\n", with: "\n").split(separator: "\n")
        let text = lines.map { "      \($0)\n" }.joined()
        let file = "version: 1\nuploads:\n  a:\n    url: https://h/\n    text: |\n\(text)"
        try job.folder.write(Array(file.utf8), to: "job.yaml")
        let outcome = try job.runner(["plan", "job.yaml"])
        #expect(outcome.standardOutput.contains("https://h/"), "\(outcome)")
        #expect(!outcome.standardOutput.contains("hunter2"), "\(outcome)")
    }

    @Test func `a plan shows no password of a command`() throws {
        let job = try JobFolder(
            """
            version: 1
            uploads:
              a:
                url: "https://h/"
                stream:
                  command:
                    [
                      sh, "curl -H 'X-Api-Key: hunter2'", -su, "u:hunter2", --password, hunter2,
                      "--user=u:hunter2", "-ubob:hunter2", --no-password, shown,
                    ]
            """
        )
        let outcome = try job.runner(["plan", "job.yaml"])
        #expect(outcome.status == .exit(0), "\(outcome)")
        #expect(!outcome.standardOutput.contains("hunter2"), "\(outcome)")
        #expect(outcome.standardOutput.contains("stream.command  [•••, •••"), "\(outcome)")
    }

    @Test func `text that nothing declares harmless is in no message and no quoted line`() throws {
        try Self.expectNoSecret(in: [
            "data: { a: { url: 'https://h/', apiKeyy: hunter2 } }",
            "data: { a: { url: 'https://h/', headers: { Cookey: a=hunter2 }, x: y } }",
            "data: { a: { url: 'https://h/', x: y, hunter2 } }",
            "streams: { a: { host: h, port: 25, steps: [{ write: \"AUTH PLAIN hunter2\" }] } }",
            "streams: { a: { host: h, port: 25, steps: [{ write: { text: \"PASS hunter2\" } }], x: 1 } }",
            "variables: { greeting: hunter2 }\nx: 1",
            "data: { a: { urls: 'https://h/?k=hunter2' } }",
        ])
    }

    @Test func `a pointer in the place of a capture stays readable`() throws {
        let job = try JobFolder(
            "version: 1\ndata: { a: { url: 'https://h/', capture: { token: /access_token } } }\n"
        )
        let outcome = try job.runner(["validate", "job.yaml"])
        #expect(outcome.standardError.contains("`{ json: /access_token }`"), "\(outcome)")
    }

    @Test(arguments: [
        "[hunter2]", "{ json: hunter2 }", "{ json: { a: hunter2 } }", "[{ text: hunter2 }]",
    ])
    func `a plan shows no part of a form under the name of a secret`(part: String) throws {
        let job = try JobFolder("")
        let file =
            "version: 1\nuploads: { a: { url: 'https://h/', multipart: { token: \(part) } } }\n"
        try job.folder.write(Array(file.utf8), to: "job.yaml")
        let outcome = try job.runner(["plan", "job.yaml"])
        #expect(outcome.standardOutput.contains("multipart.token"), "\(outcome)")
        #expect(!outcome.standardOutput.contains("hunter2"), "\(outcome)")
    }
}
