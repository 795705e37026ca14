import Diagnostics
import JobFile
import Plan
import SystemKit
import Testing
import TransferModel

/// Job files that include others, in `/jobs`.
@Suite struct InclusionTests {
    private static let task = "url: http://h/"

    /// The job `job.yaml` of these files, by absolute paths or names in `/jobs`.
    private struct Files {
        var files: [String: String]

        init(_ files: [String: String]) {
            self.files = Dictionary(
                uniqueKeysWithValues: files.map { name, text in
                    (name.hasPrefix("/") ? name : "/jobs/\(name)", text)
                }
            )
        }

        private var options: PlanOptions {
            PlanOptions {
                $0.workingFolder = "/jobs"
                $0.fileStatus = { [files] in files[Self.resolved($0)] == nil ? .missing : .readable
                }
                $0.resolvedPath = Self.resolved
                $0.dataFile = { [files] in files[Self.resolved($0)].map { MemoryFile($0) } }
            }
        }

        /// An absolute path as in a file system without links.
        private static func resolved(_ path: String) -> String {
            AbsolutePath.withoutClimbs(AbsolutePath.make(path, in: "/"))
        }

        var inclusion: Inclusion {
            Inclusion(
                Array((files["/jobs/job.yaml"] ?? "").utf8),
                name: "job.yaml",
                options: options
            )
        }

        func plan() throws -> Plan {
            let inclusion = inclusion
            #expect(inclusion.diagnostics.isEmpty)
            return try Plan.make(from: #require(inclusion.document), options: options)
        }

        /// The diagnostics, as `file:line:column code`.
        func faults() -> [String] {
            let inclusion = inclusion
            var diagnostics = inclusion.diagnostics
            if let document = inclusion.document {
                do throws(PlanRejected) {
                    diagnostics += try Plan.make(from: document, options: options).warnings
                } catch {
                    diagnostics += error.diagnostics
                }
            }
            return diagnostics.map { diagnostic in
                let start = diagnostic.range.start
                let (file, line) = inclusion.source.place(ofLine: start.line)
                return "\(file):\(line):\(start.column) \(diagnostic.code)"
            }
        }
    }

    @Test func `a job has the tasks, sessions and variables of its files`() throws {
        let plan = try Files([
            "job.yaml": """
            version: 1
            include: [shared/sessions.yaml, more.yaml]
            downloads:
              a: { session: api, url: "${var.base}/a", to: out/a }
            """,
            "shared/sessions.yaml": """
            version: 1
            include: base.yaml
            sessions: { api: { connectTimeout: 5s } }
            """,
            "shared/base.yaml": "version: 1\nvariables: { base: http://h }",
            "more.yaml": """
            version: 1
            downloads:
              b: { session: api, url: "${var.base}/b", to: out/b, needs: a }
            data:
              c: { session: api, url: "${var.base}/c" }
            """,
        ]).plan()
        #expect(plan.sessions.map(\.name) == ["api"])
        #expect(plan.sessions[0].connectTimeout == .seconds(5))
        let tasks = try (0..<plan.taskCount).map { try plan.task(at: $0) }
        #expect(Set(tasks.map(\.request.url.text)) == ["http://h/a", "http://h/b", "http://h/c"])
        #expect(
            Set(tasks.map { "\($0.source.file):\($0.source.line):\($0.source.column)" }) == [
                "job.yaml:4:3", "more.yaml:3:3", "more.yaml:5:3",
            ]
        )
        #expect(tasks.filter(\.source.isIncluded).count == 2)
    }

    @Test func `paths of an included file are relative to the folder of the job file`() throws {
        let plan = try Files([
            "job.yaml": "version: 1\ninclude: ../shared/all.yaml",
            "/shared/all.yaml": "version: 1\ndownloads: { a: { \(Self.task), to: out/a } }",
        ]).plan()
        let task = try plan.task(at: 0)
        #expect(task.source.file == "../shared/all.yaml")
        #expect(task.destination?.path == "/jobs/out/a")
    }

    @Test func `texts of every form are read from their own file`() throws {
        let plan = try Files([
            "job.yaml": "version: 1\ninclude: [a.yaml, b.yaml]\nx-a: &same { \(Self.task)job }",
            "a.yaml": #"""
            version: 1
            x-a: &same { url: "http:\u002F/h/a", timeoutInterval: 7s }
            data:
              a: *same
              aa:
                <<: *same
                headers:
                  X-Long: >-
                    two
                    words
            """#,
            "b.yaml": "version: 1\r\nx-a: &same\r\n  url: 'http://h/b'\r\ndata: { b: *same }\r\n",
        ]).plan()
        let tasks = try (0..<plan.taskCount).map { try plan.task(at: $0) }
        #expect(tasks.map(\.request.url.text) == ["http://h/a", "http://h/a", "http://h/b"])
        #expect(tasks.map(\.source.line) == [4, 5, 4])
        #expect(tasks[1].request.headers.map(\.value) == ["two words"])
    }

    @Test func `a file that several files include is read once`() throws {
        let plan = try Files([
            "job.yaml": "version: 1\ninclude: [a.yaml, b.yaml, ./a.yaml, /jobs/b.yaml]",
            "a.yaml": "version: 1\ninclude: both.yaml",
            "b.yaml": "version: 1\ninclude: ./both.yaml",
            "both.yaml": "version: 1\ndata: { a: { \(Self.task) } }",
        ]).plan()
        #expect(plan.taskCount == 1)
    }

    @Test func `faults have the places of their files, also at the end of a text`() {
        let files = Files([
            "job.yaml": "version: 1\ninclude: [a.yaml, empty.yaml, open.yaml, b.yaml]\nno: 1\n",
            "a.yaml": "version: 1\nname: a\nschedule: {}\n",
            "empty.yaml": "",
            "open.yaml": "version: 1\ndata:\n  b: [\n",
            "b.yaml": "version: 1",
        ])
        #expect(files.faults() == ["empty.yaml:1:1 yaml.empty", "open.yaml:4:1 yaml.syntax"])
        var readable = files
        readable.files["/jobs/empty.yaml"] = "data: { a: { \(Self.task), nonsense: 1 } }"
        readable.files["/jobs/open.yaml"] = "\u{FEFF}version: 2"
        #expect(
            Set(readable.faults()) == [
                "job.yaml:3:1 job.unknown-key", "a.yaml:2:1 job.bad-include",
                "a.yaml:3:1 job.bad-include", "empty.yaml:1:1 job.missing-key",
                "empty.yaml:1:30 job.unknown-key", "open.yaml:1:10 job.unsupported-version",
            ]
        )
    }

    @Test func `a name belongs to one file`() throws {
        let text = "version: 1\nvariables: { v: 1 }\nsessions: { s: {} }\n"
        let task = "data: { a: { session: s, url: \"http://h/${var.v}\" } }"
        let files = Files([
            "job.yaml": "include: more.yaml\n" + text + task,
            "more.yaml": text + task,
        ])
        #expect(
            files.faults().sorted() == [
                "more.yaml:2:14 job.duplicate-id", "more.yaml:3:13 job.duplicate-id",
                "more.yaml:4:9 job.duplicate-id",
            ]
        )
        let inclusion = files.inclusion
        let shown = FileDiagnostics(
            showing: inclusion.diagnostics,
            of: try #require(inclusion.document)
        ).byFile
        let rendered = shown.map { TextRenderer($0).render() }.joined()
        #expect(rendered.contains("note: the first one is here: job.yaml:5:9"), "\(rendered)")
    }

    @Test func `files that include each other are refused with their names`() {
        let files = Files([
            "job.yaml": "version: 1\ninclude: sub/a.yaml",
            "sub/a.yaml": "version: 1\ninclude: b.yaml",
            "sub/b.yaml": "version: 1\ninclude: [../sub/a.yaml, ../job.yaml]",
        ])
        let messages = files.inclusion.diagnostics.map(\.message)
        #expect(
            messages.map { $0.split(separator: ": ").last } == [
                "`sub/a.yaml` → `sub/b.yaml` → `sub/a.yaml`",
                "`job.yaml` → `sub/a.yaml` → `sub/b.yaml` → `job.yaml`",
            ]
        )
        #expect(files.faults().prefix(1) == ["sub/b.yaml:2:11 job.bad-include"])
    }

    @Test func `ten files may include one another, and a hundred belong to a job`() {
        let chain = { (count: Int) in
            let links = (1...count).map {
                ("f\($0).yaml", "version: 1\n" + ($0 < count ? "include: f\($0 + 1).yaml" : ""))
            }
            return Files(
                ["job.yaml": "version: 1\ninclude: f1.yaml\ndata: { a: { \(Self.task) } }"]
                    .merging(links) { $1 }
            )
        }
        #expect(chain(10).faults() == [])
        #expect(chain(11).faults() == ["f10.yaml:2:10 job.bad-include"])
        let list = { (count: Int) in
            let names = (1...count).map { "f\($0).yaml" }
            let items = names.map { "\n- \($0)" }.joined()
            return Files(
                ["job.yaml": "version: 1\ndata: { a: { \(Self.task) } }\ninclude:\(items)"]
                    .merging(names.map { ($0, "version: 1") }) { $1 }
            )
        }
        #expect(list(100).faults() == [])
        #expect(list(101).faults() == ["job.yaml:104:3 job.bad-include"])
    }

    @Test func `the limit of a job file counts the texts of all files`() {
        let files = Files([
            "job.yaml": "version: 1\ninclude: large.yaml\ndata: { a: { \(Self.task) } }",
            "large.yaml": String(repeating: "#", count: DocumentLimits.bytes),
        ])
        #expect(files.faults() == ["job.yaml:2:10 job.bad-include"])
    }

    @Test(arguments: [
        ("none.yaml", "there is no file `none.yaml`"),
        ("https://h/a.yaml", "`https://h/a.yaml` is a URL, and only files"),
        ("\"*.yaml\"", "`*.yaml` is a pattern"),
        ("\"${env.HOME}/a.yaml\"", "a path here has no expressions"),
        ("\"\"", "expected the path of a file"),
        ("[[a]]", "expected the path of a file"),
        ("\"a\\0\"", "`a\u{0}` is no path of a file"),
    ])
    func `an item that names no file is refused`(item: String, message: String) throws {
        let files = Files([
            "job.yaml": "version: 1\ndata: { a: { \(Self.task) } }\ninclude: \(item)"
        ])
        let diagnostic = try #require(files.inclusion.diagnostics.first)
        #expect(diagnostic.message.hasPrefix("`include`: \(message)"), "\(diagnostic.message)")
        #expect(diagnostic.code == JobCode.badInclude.rawValue)
    }
}
