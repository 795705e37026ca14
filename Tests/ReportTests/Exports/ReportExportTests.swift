import JSON
import Report
import SystemKit
import TestSupport
import Testing
import TransferModel

/// The documents that are made of a run, during it and of its written report.
@Suite struct ReportExportTests {
    /// The document of a run that writes it itself.
    private static func document(
        _ kind: ReportKind,
        _ events: [RunEvent] = Samples.events,
        redactor: Redactor? = nil
    ) -> String {
        let file = MemoryFile()
        let reports = Reports([Reports.Output(kind.makeFormat()) { file }], redactor: redactor)
        for event in events { reports.receive(event) }
        return String(decoding: file.bytes, as: UTF8.self)
    }

    /// The document of the JSON report of that run.
    private static func document(_ kind: ReportKind, of report: [UInt8]) throws -> String {
        let file = MemoryFile()
        try kind.export(ReportReader(report), to: file)
        #expect(file.isPublished)
        return String(decoding: file.bytes, as: UTF8.self)
    }

    private static func events(_ records: [TaskRecord]) -> [RunEvent] {
        var summary = RunSummary(endDate: Samples.time(2_000_000))
        summary.tasks = records.count
        return [.started(Samples.header)] + records.map { .taskFinished($0) } + [.finished(summary)]
    }

    private static let exports: [ReportKind] = [.har, .junit, .prometheus, .html, .otlp]

    @Test(arguments: exports)
    func `a written report makes the document that the run made`(kind: ReportKind) throws {
        let json = Self.document(.json)
        let written = try Self.document(kind, of: Array(json.utf8))
        #expect(written == Self.document(kind))
        #expect(!written.isEmpty)
    }

    @Test(arguments: exports)
    func `a report that another program formatted makes the same document`(kind: ReportKind) throws
    {
        let json = Array(Self.document(.json).utf8)
        var writer = JSONWriter(isPretty: true)
        writer.value(try JSONValue(bytes: json))
        #expect(try Self.document(kind, of: writer.bytes) == Self.document(kind, of: json))
    }

    @Test(arguments: exports)
    func `no document has a secret or a login of a URL`(kind: ReportKind) throws {
        var record = Samples.refused
        record.id = "swordfish-1"
        record.currentRequest.url = "https://user:hunter@host/swordfish"
        record.transactions[0].request.url = "https://user:hunter@host/swordfish"
        record.error?.detail = "https://me:word@host refused swordfish"
        let redactor = try #require(Redactor([Secret("swordfish")]))
        let text = Self.document(kind, Self.events([record]), redactor: redactor)
        for secret in ["swordfish", "hunter", "me:word"] {
            #expect(!text.contains(secret), "\(text)")
        }
        #expect(text.contains("‹redacted›"))
    }

    @Test func `JUnit has a test case for each task, with the place and the reason of a failure`() {
        let text = Self.document(.junit)
        #expect(text.contains(#"<testsuite name="nightly" tests="3" timestamp="2026-11-21T"#))
        #expect(text.split(separator: "<testcase ").count == 4)
        #expect(text.contains(#"name="artifact" time="1.200000"/>"#))
        #expect(
            text.contains(#"<failure type="connect" message="connect: no connection to http://"#)
        )
        #expect(text.contains("jobs/nightly.yaml:14:3&#10;GET https://"))
        #expect(text.contains("help: is the server running?</failure>"))
        #expect(text.contains(#"<skipped message=""#))
        #expect(text.hasSuffix("</testsuite>\n</testsuites>\n"))
    }

    @Test func `JUnit has the sums before the test cases, with the attributes of Jenkins' schema`()
        throws
    {
        let text = Self.document(.junit)
        #expect(try Self.document(.junit, of: Array(Self.document(.json).utf8)) == text)
        let lines = text.split(separator: "\n")
        let sums = #"failures="1" errors="0" time="3.200000""#
        #expect(lines[1].hasPrefix(#"<testsuites name="nightly" tests="3" "# + sums), "\(lines[1])")
        let own = #" failures="1" errors="0" skipped="1" time="3.200000" "#
        #expect(lines[2].contains(own) && lines[2].hasSuffix(" >"), "\(lines[2])")
        let names = lines.flatMap { $0.matches(of: #/ ([a-z]+)="/#).map { String($0.output.1) } }
        #expect(
            Set(names).isSubset(of: [
                "name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname",
                "classname", "type", "message", "version", "encoding",
            ]),
            "\(Set(names))"
        )
    }

    @Test func `a file on disk gets the sums, a compressed one is published without them`() throws {
        let folder = try TemporaryFolder()
        let paths = ["junit.xml", "junit.xml.gz"].map { folder.path($0) }
        let reports = Reports(
            paths.map { path in
                Reports.Output(ReportKind.junit.makeFormat()) { () throws(SystemError) in
                    try PublishedReport(path: path, kind: .junit)
                }
            }
        )
        for event in Samples.events { reports.receive(event) }
        #expect(reports.failure == nil && reports.isPublished)
        #expect(try folder.text("junit.xml") == Self.document(.junit))
    }

    @Test func `GitLab gets the place of each task as attributes`() throws {
        let file = MemoryFile()
        let paths = RepositoryPaths(
            environment: ["CI_PROJECT_DIR": "/builds/a"],
            workingFolder: "/builds/a/sub"
        )
        let format = ReportKind.junit.makeFormat(forGitLab: paths)
        let reports = Reports([Reports.Output(format) { file }])
        for event in Samples.events { reports.receive(event) }
        let text = String(decoding: file.bytes, as: UTF8.self)
        #expect(text.contains(#"file="sub/jobs/nightly.yaml" line="14"/>"#), "\(text)")
    }

    @Test func `a failed task that is not required is a skipped test case`() {
        var record = Samples.refused
        record.required = false
        let text = Self.document(.junit, Self.events([record]))
        #expect(text.contains(#"<skipped message="not required: connect: "#), "\(text)")
        #expect(!text.contains("<failure"))
    }

    @Test func `characters that XML forbids and its signs stay readable`() {
        var record = Samples.refused
        record.id = "<a> & \"b\"\u{1B}[31m\u{FFFE}"
        let text = Self.document(.junit, Self.events([record]))
        #expect(
            text.contains(#"name="&lt;a&gt; &amp; &quot;b&quot;\u{1B}[31m\u{FFFE}""#),
            "\(text)"
        )
    }

    @Test func `metrics have help and type once, and one series for each label`() {
        var record = Samples.record("a\"b\\c\n", 1, .succeeded)
        record.countOfBytesReceived = 7
        let text = Self.document(.prometheus, Self.events([record, Samples.refused]))
        let lines = text.split(separator: "\n")
        #expect(text.contains(#"task_received_bytes{job="nightly",task="a\"b\\c\n"} 7"#), "\(text)")
        #expect(text.contains(#"task_success{job="nightly",task="refused"} 0"#))
        #expect(text.contains(#"tasks{job="nightly",outcome="deferred"} 0"#))
        var names: [Substring] = []
        for line in lines where line.hasPrefix("# TYPE ") {
            names.append(line.split(separator: " ")[2])
        }
        #expect(Set(names).count == names.count)
        for line in lines where !line.hasPrefix("#") {
            #expect(names.contains(line.prefix { $0 != "{" }), "\(line)")
        }
    }

    @Test(arguments: ["\u{301}", "\u{200D}", "\u{FE0F}"])
    func `a quote of a label is escaped whatever combines with it`(mark: String) {
        let record = Samples.record("a\"\(mark)b\\\(mark)c\n\(mark)", 1, .succeeded)
        let text = Self.document(.prometheus, Self.events([record]))
        let label = #"task="a\"\#(mark)b\\\#(mark)c\n\#(mark)"}"#
        #expect(Array(text.utf8).contains(Array(label.utf8)), "\(text)")
    }

    @Test func `a run with many tasks has no metrics of single tasks`() {
        let records = (1...501).map { Samples.record("t\($0)", $0, .succeeded) }
        let text = Self.document(.prometheus, Self.events(records))
        #expect(!text.contains("task="), "\(text.prefix(500))")
        #expect(text.contains("runner_last_run_received_bytes"))
    }

    @Test func `the stretches of a HAR entry add up to its time`() throws {
        let har = try JSONValue(Self.document(.har))
        let log = try #require(har["log"])
        #expect(log["version"]?.string == "1.2")
        let entries = log["entries"]?.elements ?? []
        #expect(entries.count == 2)
        for entry in entries {
            let timings = try #require(entry["timings"])
            var sum = 0.0
            for name in ["blocked", "dns", "connect", "send", "wait", "receive"] {
                let part = try #require(timings[name]?.double)
                #expect(part >= 0 || part == -1)
                sum += max(0, part)
            }
            let time = try #require(entry["time"]?.double)
            #expect(abs(sum - time) < 0.000_5)
            for name in ["method", "url", "httpVersion"] {
                #expect(entry["request"]?[name]?.string != nil)
            }
            for name in ["cookies", "headers", "queryString"] {
                #expect(entry["request"]?[name] != nil)
            }
            #expect(entry["response"]?["content"]?["mimeType"]?.string != nil)
        }
        let pages = log["pages"]?.elements ?? []
        #expect(pages.map { $0["title"]?.string } == ["nightly"])
        #expect(pages.first?["startedDateTime"]?.string?.hasPrefix("2026-11-21T") == true)
        #expect(pages.first?["pageTimings"] != nil)
        #expect(entries.allSatisfy { $0["pageref"] == pages.first?["id"] })
        let full = try #require(entries.first)
        #expect(full["timings"]?["ssl"]?.double == 0.001)
        #expect(full["time"]?.double == 0.020)
        #expect(full["response"]?["status"]?.integer == 200)
        #expect(full["response"]?["httpVersion"]?.string == "HTTP/2.0")
        #expect(full["_task"]?.string == "artifact")
        #expect(entries.last?["response"]?["status"]?.integer == 0)
    }

    /// The content of a page's element between two texts.
    private static func part(_ page: String, from start: String, to end: String) throws -> String {
        let front = try #require(page.firstRange(of: start)).upperBound
        let back = try #require(page[front...].firstRange(of: end)).lowerBound
        return String(page[front..<back])
    }

    @Test(arguments: [
        ("<style>", "</style>", "style-src"), ("<script>", "</script>", "script-src"),
    ])
    func `a page permits the hash of its own script and style alone`(
        start: String,
        end: String,
        rule: String
    ) throws {
        let page = Self.document(.html)
        let content = try Self.part(page, from: start, to: end)
        let folder = try TemporaryFolder()
        try folder.write(content, to: "content")
        let digest = try Command(
            "sh",
            ["-c", "openssl dgst -sha256 -binary content | openssl base64 -A"],
            workingFolder: folder.path
        ).run().standardOutput
        #expect(page.contains("default-src 'none'"))
        #expect(page.contains("\(rule) 'sha256-\(digest)'"), "the hash is \(digest)")
    }

    @Test func `no text of a server is markup or ends the data of a page`() throws {
        var record = Samples.refused
        record.id = "</script><script>alert(1)</script>"
        record.error?.detail = "<!--<img src=x onerror=alert(1)>]]></ScRiPt >"
        let page = Self.document(.html, Self.events([record]))
        let data = try Self.part(page, from: "id=\"tasks\">", to: "</script>")
        #expect(!data.contains("<"), "\(data)")
        let tasks = try JSONValue(data)
        #expect(tasks[0]?["id"]?.string == record.id)
        #expect(tasks[0]?["failure"]?["message"]?.string == record.error?.detail)
        let run = try JSONValue(Self.part(page, from: "id=\"run\">", to: "</script>"))
        #expect(run["job"]?.string == "nightly")
        let list = try Self.part(page, from: "id=\"failures\"", to: "</section>")
        #expect(!list.contains("<script") && !list.contains("<img") && !list.contains("<!--"))
        #expect(list.contains("&lt;!--&lt;img src=x onerror=alert(1)&gt;]]&gt;"))
        #expect(list.contains("href=\"#task=%3C%2Fscript%3E%3Cscript%3Ealert%281%29"))
    }

    @Test func `a page begins with the verdict, and lists failures with reason, help and place`()
        throws
    {
        var failed = Samples.refused
        failed.cause = SourceLocation(file: "jobs/nightly.yaml", line: 15, column: 9)
        var summary = RunSummary(endDate: Samples.time(2_000_000))
        summary.tasks = 1
        summary.failed = 1
        summary.attempts = 1
        summary.exitCode = .temporary
        let page = Self.document(
            .html,
            [.started(Samples.header), .taskFinished(failed), .finished(summary)]
        )
        let verdict = try Self.part(page, from: "<header class=\"verdict ", to: "</header>")
        #expect(verdict.contains("later\">\n<h1>nightly: failed for now</h1>"), "\(verdict)")
        #expect(verdict.contains("<b>Exit code 5</b>: a later run may avoid every failure"))
        #expect(verdict.contains("3 tasks: 1 failed; 1 attempt; 0 B received"))
        #expect(verdict.contains("runner 1.0 · libcurl 7.88.1 with OpenSSL/3.0.19"))
        let list = try Self.part(page, from: "id=\"failures\"", to: "</section>")
        #expect(list.contains("1 task did not succeed"))
        #expect(list.contains("<p>connect: no connection to http://"))
        #expect(list.contains("<p>Help: is the server running?</p>"))
        #expect(list.contains("<code>jobs/nightly.yaml:15:9</code> · GET https://"), "\(list)")
    }

    @Test func `a page lists a hundred failures, those with an attempt first`() throws {
        var records = (0..<3).map { Samples.record("s\($0)", $0 + 1, .skipped) }
        records += (0..<98).map { Samples.record("f\($0)", $0 + 4, .failed) }
        let page = Self.document(.html, Self.events(records))
        let list = try Self.part(page, from: "id=\"failures\"", to: "</section>")
        #expect(list.split(separator: "<li>").count == 101)
        #expect(list.contains("101 tasks did not succeed"))
        #expect(list.contains(">f97</a>") && list.contains(">s1</a>") && !list.contains(">s2</a>"))
        #expect(list.contains("has 1 more"))
        let good = Self.document(.html, Self.events([Samples.full]))
        #expect(!good.contains("id=\"failures\""))
    }

    @Test func `in a page, the phase in which an exchange broke off lasts until its attempt ends`()
        throws
    {
        var silent = Samples.refused
        silent.transactions[0].connectEndDate = Samples.time(10)
        silent.transactions[0].requestStartDate = Samples.time(10)
        silent.transactions[0].requestEndDate = Samples.time(15)
        let page = Self.document(.html, Self.events([Samples.refused, silent, Samples.full]))
        let tasks = try JSONValue(Self.part(page, from: "id=\"tasks\">", to: "</script>"))
        let lengths = tasks.elements.map { task in
            task["exchanges"]?[0]?["phases"]?.elements.map { $0.integer ?? -1 }
        }
        #expect(lengths[0] == [2, 0, 88, 0, 0, 0, 0])
        #expect(lengths[1] == [2, 0, 8, 0, 5, 75, 0])
        #expect(lengths[2] == [11, 1, 4, 1, 1, 1, 1])
    }

    @Test func `a page has fields, checks and attempts of tasks that did not succeed at once`()
        throws
    {
        var retried = Samples.full
        retried.id = "retried"
        var second = retried.attempts[0]
        second.number = 2
        second.waitedMicroseconds = 70
        second.waitReason = .connectivity
        retried.attempts.append(second)
        let page = Self.document(.html, Self.events([Samples.full, retried]))
        let tasks = try JSONValue(Self.part(page, from: "id=\"tasks\">", to: "</script>"))
        #expect(tasks[0]?["checks"] == nil && tasks[0]?["tries"] == nil)
        #expect(tasks[0]?["exchanges"]?[0]?["fields"] == nil)
        #expect(tasks[1]?["checks"]?[1]?["expected"]?.string == "200-299")
        #expect(tasks[1]?["tries"]?[1]?["waited"]?.integer == 70)
        #expect(tasks[1]?["tries"]?[1]?["waitReason"]?.string == "connectivity")
        let field = tasks[1]?["exchanges"]?[0]?["fields"]?[0]
        #expect(field?[0]?.string == "Content-Type")
        #expect(field?[1]?.string == "Text/HTML; charset=x")
    }
}
