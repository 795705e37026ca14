import JobFile
import Plan
import TestSupport
import Testing
import TransferModel

/// The plan's bodies of uploads other than plain JSON.
@Suite struct UploadBodyTests {
    private func task(_ settings: String) throws -> TaskSpec {
        let text = "version: 1\nuploads:\n  it:\n    url: https://example.com/\n    \(settings)\n"
        let document = try #require(Document.parse(Array(text.utf8), name: "test.yaml").document)
        let options = PlanOptions {
            $0.workingFolder = "/jobs"
            $0.fileStatus = {
                $0.hasSuffix(".pipe") ? .pipe : .readable
            }
        }
        let plan = try Plan.make(from: document, options: options)
        #expect(plan.warnings.isEmpty)
        return try plan.task(at: 0)
    }

    private func text(_ task: TaskSpec) -> String? {
        guard case .bytes(let bytes)? = task.body else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func type(_ task: TaskSpec) -> [String] {
        task.request.headers.filter { $0.name.lowercased() == "content-type" }.map(\.value)
    }

    @Test func `a form keeps its order, and a list is its name again`() throws {
        let task = try task("form: { b: 1, a: [x y, true, 2.50], empty: '', none: [], x-c: é }")
        #expect(text(task) == "b=1&a=x+y&a=true&a=2.50&empty=&x-c=%C3%A9")
        #expect(type(task) == ["application/x-www-form-urlencoded"])
        #expect(text(try self.task("form: {}")) == "")
    }

    @Test func `a declared type overrides that of a form`() throws {
        let task = try task("form: { a: 1 }\n    headers: { content-type: text/x-form }")
        #expect(type(task) == ["text/x-form"])
    }

    @Test func `the parts of a multipart body keep their order`() throws {
        let task = try task(
            """
            multipart:
                  note: hello
                  tags: [a, 5, { text: c, contentType: text/x, headers: { X-Y: z } }]
                  order: { json: { itemID: 1 } }
                  photo: { file: in/a.jpg, contentType: image/jpeg }
                  raw: { file: in/b, fileName: "other\\"name" }
                  inline: { fileName: i.txt, text: i }
                encoding: { keyEncodingStrategy: convertToSnakeCase }
                headers: { X: 1 }
            """
        )
        func bytes(_ text: String) -> BodyPart.Content { .bytes(Array(text.utf8)) }
        func type(_ value: String) -> HeaderField { .init(name: "Content-Type", value: value) }
        #expect(
            task.body
                == .multipart([
                    BodyPart(name: "note", content: bytes("hello")),
                    BodyPart(name: "tags", content: bytes("a")),
                    BodyPart(name: "tags", content: bytes("5")),
                    BodyPart(
                        name: "tags",
                        headers: [type("text/x"), .init(name: "X-Y", value: "z")],
                        content: bytes("c")
                    ),
                    BodyPart(
                        name: "order",
                        headers: [type("application/json")],
                        content: bytes(#"{"item_id":1}"#)
                    ),
                    BodyPart(
                        name: "photo",
                        fileName: "a.jpg",
                        headers: [type("image/jpeg")],
                        content: .file(path: "/jobs/in/a.jpg")
                    ),
                    BodyPart(
                        name: "raw",
                        fileName: "other\"name",
                        headers: [type("application/octet-stream")],
                        content: .file(path: "/jobs/in/b")
                    ),
                    BodyPart(name: "inline", fileName: "i.txt", content: bytes("i")),
                ])
        )
        #expect(self.type(task).isEmpty)
    }

    @Test func `the session's Content-Type does not apply to a multipart body`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            sessions: { s: { httpAdditionalHeaders: { Content-Type: text/x, A: b } } }
            uploads: { it: { url: http://a/, multipart: { a: b } } }
            """
        )
        #expect(try plan.task(at: 0).request.headers == [HeaderField(name: "A", value: "b")])
    }

    @Test func `a stream is a command in the job's folder, or a pipe`() throws {
        let command = try task("stream: { command: [./dump, --all, 5], contentType: text/csv }")
        #expect(command.body == .command(["./dump", "--all", "5"], folder: "/jobs/"))
        #expect(type(command) == ["text/csv"])
        let pipe = try task("stream: { fifo: in.pipe }\n    headers: { Content-Type: text/y }")
        #expect(pipe.body == .pipe(path: "/jobs/in.pipe"))
        #expect(type(pipe) == ["text/y"])
        #expect(type(try task("stream: { command: [true] }")) == ["application/octet-stream"])
    }

    @Test(arguments: ["json: { a: b }", "text: hello", "form: { a: b }"])
    func `gzip says so, and inflates to the body`(body: String) throws {
        let plain = try text(task(body))
        let task = try task(body + "\n    encoding: { contentEncoding: gzip }")
        guard case .compressed(let bytes, let originalCount)? = task.body else {
            Issue.record("not compressed")
            return
        }
        #expect(originalCount == plain?.utf8.count)
        #expect(
            task.request.headers.filter { $0.name == "Content-Encoding" }.map(\.value) == ["gzip"]
        )
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: "body.gz")
        let inflated = try Command("gzip", ["-dc", path]).run()
        #expect(inflated.standardOutput == plain)
        // No time and no name, so that a repeated request is the same.
        #expect(bytes[3...7] == [0, 0, 0, 0, 0])
    }

    @Test(arguments: [
        ("", #"{"at":"2026-11-21T07:30:00Z"}"#),
        ("dateEncodingStrategy: iso8601", #"{"at":"2026-11-21T07:30:00Z"}"#),
        ("dateEncodingStrategy: secondsSince1970", #"{"at":1795246200.25}"#),
        ("dateEncodingStrategy: millisecondsSince1970", #"{"at":1795246200250}"#),
        ("dateEncodingStrategy: deferredToDate", #"{"at":816939000.25}"#),
    ])
    func `a timestamp is written as its strategy says`(strategy: String, json: String) throws {
        let at = "!!timestamp 2026-11-21 08:30:00.25 +1"
        #expect(try text(task("json: { at: \(at) }\n    encoding: { \(strategy) }")) == json)
    }

    @Test func `a timestamp may have a pattern and a zone`() throws {
        let at = "!!timestamp 2026-11-21 08:30:00.25 +1"
        let pattern =
            "{ formatted: \"EEE d MMM yyyy 'at' HH:mm:ss.SSS xxx\", timeZone: \"+05:30\" }"
        let task = try task(
            "json: { at: \(at) }\n    encoding: { dateEncodingStrategy: \(pattern) }"
        )
        #expect(text(task) == #"{"at":"Sat 21 Nov 2026 at 13:00:00.250 +05:30"}"#)
    }

    @Test(arguments: [
        ("", #"{"a":"aGk\/","none":""}"#),
        ("dataEncodingStrategy: base64", #"{"a":"aGk\/","none":""}"#),
        ("dataEncodingStrategy: deferredToData", #"{"a":[104,105,63],"none":[]}"#),
    ])
    func `binary data is written as its strategy says`(strategy: String, json: String) throws {
        let body = "json: { a: !!binary \" aG\\nk/ \", none: !!binary '' }"
        #expect(try text(task(body + "\n    encoding: { \(strategy) }")) == json)
    }

    @Test func `numbers that JSON does not have may be texts`() throws {
        let texts = "{ positiveInfinity: +∞, negativeInfinity: -∞, nan: '?' }"
        let strategy = "nonConformingFloatEncodingStrategy: { convertToString: \(texts) }"
        let body = "json: [.inf, -.inf, .nan, 1.5]\n    encoding: { \(strategy) }"
        #expect(try text(task(body)) == #"["+∞","-∞","?",1.5]"#)
    }

    @Test func `a timestamp may be filled in`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            variables: { day: 2026-11-21, at: !!timestamp 2026-11-22 }
            uploads: { it: { url: http://a/, json: [!!timestamp "${var.day}", "${var.at}", "${var.day}"] } }
            """
        )
        let expected = #"["2026-11-21T00:00:00Z","2026-11-22T00:00:00Z","2026-11-21"]"#
        #expect(try text(plan.task(at: 0)) == expected)
    }

    @Test func `converted keys are sorted as they are written`() throws {
        let encoding = "{ keyEncodingStrategy: convertToSnakeCase, outputFormatting: [sortedKeys] }"
        let json = "{ bC: 1, b_b: { innerKey: [{ listKey: 1 }] }, aURL: 2 }"
        #expect(
            try text(task("json: \(json)\n    encoding: \(encoding)"))
                == #"{"a_url":2,"b_b":{"inner_key":[{"list_key":1}]},"b_c":1}"#
        )
    }

    @Test(arguments: [
        "multipart: { a: *long, b: [*long, *long, *long, *long, { text: *long }] }",
        "multipart: { a: [*long, *long, *long, *long], b: { json: *long } }",
    ])
    func `a body that aliases make too large is refused`(body: String) throws {
        let text = """
            version: 1
            x-long: &long "\(String(repeating: "12345678", count: 1 << 19))"
            uploads: { it: { url: http://a/, \(body) } }
            """
        #expect(try TestJob.faults(text) == ["3:34 job.out-of-range"])
    }

    @Test func `arguments that aliases make too long are refused`() throws {
        let text = """
            version: 1
            x-long: &long "\(String(repeating: "12345678", count: 64 << 10))"
            uploads: { it: { url: http://a/, stream: { command: [a, *long, *long] } } }
            """
        #expect(try TestJob.faults(text) == ["3:44 job.out-of-range"])
    }

    @Test func `a pipe causes a warning only with declared retries`() throws {
        let head = "version: 1\ndefaults: { retry: { attempts: 9 } }\nuploads:\n"
        func faults(_ retry: String) throws -> [String] {
            let upload = "  it: { url: http://a/, \(retry) stream: { fifo: p } }"
            let options = PlanOptions {
                $0.workingFolder = "/jobs"
                $0.fileStatus = { _ in .pipe }
            }
            return try TestJob.faults(head + upload, options: options)
        }
        #expect(try faults("").isEmpty)
        #expect(try faults("retry: { attempts: 1 },").isEmpty)
        #expect(try faults("retry: { budget: 1m },") == ["4:25 job.not-repeatable"])
    }

    // MARK: resumable

    @Test(
        arguments: [
            ("file: a.bin", .acrossRuns), ("file: a.bin\n    resumable: auto", .acrossRuns),
            ("file: a.bin\n    resumable: none", .nothing),
            ("multipart: { a: { file: a.bin } }", .acrossRuns),
            ("text: small", .nothing), ("json: {}\n    resumable: auto", .nothing),
            ("stream: { fifo: a.pipe }", .nothing),
            ("stream: { command: [dump] }\n    resumable: auto", .nothing),
        ] as [(String, TaskSpec.Resume)]
    )
    func `bodies that can be read from the middle are resumed`(
        settings: String,
        resume: TaskSpec.Resume
    ) throws {
        #expect(try task(settings).uploadResume == resume)
    }

    @Test func `a text is resumed from 1 MiB on`() throws {
        let text = String(repeating: "x", count: 1 << 20)
        #expect(try task("text: \(text)").uploadResume == .acrossRuns)
        #expect(try task("text: \(text.dropLast())").uploadResume == .nothing)
    }

    @Test(arguments: [("", TaskSpec.Resume.withinRun), (", resumable: auto", .acrossRuns)])
    func `an ephemeral session keeps nothing unless the job says so`(
        settings: String,
        resume: TaskSpec.Resume
    ) throws {
        let text = """
            version: 1
            sessions: { s: { configuration: ephemeral } }
            uploads: { it: { url: "https://example.com/", file: a.bin\(settings) } }
            """
        let document = try #require(Document.parse(Array(text.utf8), name: "test.yaml").document)
        let options = PlanOptions {
            $0.workingFolder = "/jobs"
            $0.fileStatus = { _ in .readable }
        }
        #expect(try Plan.make(from: document, options: options).task(at: 0).uploadResume == resume)
    }
}
