import Diagnostics
import JobFile
import SystemKit
import Testing
import TransferModel

@testable import Plan

@Suite struct FileSearchTests {
    /// The plan of an upload for each file of a `forEach` in `/jobs`.
    private static func plan(
        _ forEach: String,
        _ paths: [String],
        resolvedPath: @escaping @Sendable (String) -> String = { $0 }
    ) throws -> Plan {
        let folders = MemoryFolders(paths.map { "/jobs/" + $0 })
        let text = """
            version: 1
            uploads:
              t:
                forEach: \(forEach)
                url: https://h.example/files/${item.relativePath}
                file: ${item.path}
                headers: { X-Name: "${item.name}" }
            """
        let document = try #require(Document.parse(Array(text.utf8), name: "job.yaml").document)
        let options = PlanOptions {
            $0.workingFolder = "/jobs"
            $0.resolvedPath = resolvedPath
            $0.folder = { path, _ in folders.list(path) }
        }
        return try Plan.make(from: document, options: options)
    }

    private static func ids(_ plan: Plan) -> [String] {
        (0..<plan.taskCount).map { plan.id(of: $0) }
    }

    private static let site = [
        "s/b.html", "s/a.html", "s/x/c.html", "s/x/c.css", "s/x/y/d.html", "s/.git/config",
        "s/.htaccess", "t/e.html",
    ]

    @Test(arguments: [
        ("{ glob: s/* }", ["t[a.html]", "t[b.html]"]),
        (
            "{ glob: s/** }",
            [
                "t[a.html]", "t[b.html]", "t[x/c.css]", "t[x/c.html]", "t[x/y/d.html]",
            ]
        ),
        ("{ glob: s/**/*.html }", ["t[a.html]", "t[b.html]", "t[x/c.html]", "t[x/y/d.html]"]),
        ("{ glob: s/*/c.* }", ["t[x/c.css]", "t[x/c.html]"]),
        ("{ glob: s/.* }", ["t[.htaccess]"]),
        (
            "{ glob: 's/**', hidden: true }",
            [
                "t[.git/config]", "t[.htaccess]", "t[a.html]", "t[b.html]", "t[x/c.css]",
                "t[x/c.html]", "t[x/y/d.html]",
            ]
        ),
        ("{ glob: ['s/**', '!s/x/**', '!**/b.*'] }", ["t[a.html]"]),
        ("{ glob: [s/*, s/a.html] }", ["t[a.html]", "t[b.html]"]),
        ("{ glob: [s/*, 't/*'] }", ["t[a.html]", "t[b.html]", "t[e.html]"]),
        ("{ glob: '*/../t/*' }", []),
        ("{ glob: t/e.html }", ["t[e.html]"]),
        (
            "{ glob: 's/**/*.html', key: '${item.name}' }",
            [
                "t[a.html]", "t[b.html]", "t[c.html]", "t[d.html]",
            ]
        ),
    ])
    func `patterns name files in the order of their paths`(
        forEach: String,
        expected: [String]
    ) throws {
        guard !expected.isEmpty else {
            #expect(throws: PlanRejected.self) { try Self.plan(forEach, Self.site) }
            return
        }
        #expect(Self.ids(try Self.plan(forEach, Self.site)) == expected)
    }

    @Test func `a file has its path, its path below the folder, and its name`() throws {
        let plan = try Self.plan("{ glob: s/** }", ["s/x y/50% #1.html"])
        let task = try plan.task(at: 0)
        #expect(task.request.url.text == "https://h.example/files/x%20y/50%25%20%231.html")
        #expect(task.request.headers.first?.value == "50% #1.html")
        guard case .file(let path, "/jobs/s")? = task.body else {
            Issue.record("the body is no file")
            return
        }
        #expect(path == "/jobs/s/x y/50% #1.html")
    }

    @Test func `the path of a file above the job's folder is absolute`() throws {
        let folders = MemoryFolders(["/other/a"])
        let text = """
            version: 1
            uploads: { t: { forEach: { glob: ../other/* }, url: "http://a/", file: "${item.path}" } }
            """
        let document = try #require(Document.parse(Array(text.utf8), name: "job.yaml").document)
        let options = PlanOptions {
            $0.workingFolder = "/jobs"
            $0.resolvedPath = { $0 == "/jobs/../other" ? "/other" : $0 }
            $0.folder = { path, _ in folders.list(path == "/jobs/../other" ? "/other" : path) }
        }
        let plan = try Plan.make(from: document, options: options)
        let body = try plan.task(at: 0).body
        guard case .file(let path, "/other")? = body else {
            Issue.record("the body is no file")
            return
        }
        #expect(path == "/other/a")
    }

    @Test func `the job's own folder may have characters of patterns in its name`() throws {
        let folders = MemoryFolders(["/jobs/[a] {b}*/s/x", "/jobs/[a] {b}*/s/y", "/jobs/a/s/z"])
        let text = """
            version: 1
            uploads:
              t: { forEach: { glob: ["s/*", "!s/y"] }, url: "http://a/", file: "${item.path}" }
            """
        let name = "../jobs/[a] {b}*/job.yaml"
        let document = try #require(Document.parse(Array(text.utf8), name: name).document)
        let options = PlanOptions {
            $0.workingFolder = "/jobs"
            $0.resolvedPath = { $0.replacing("/jobs/../jobs", with: "/jobs") }
            $0.folder = { path, _ in folders.list(path.replacing("/jobs/../jobs", with: "/jobs")) }
        }
        let plan = try Plan.make(from: document, options: options)
        #expect(Self.ids(plan) == ["t[x]"])
        let body = try plan.task(at: 0).body
        #expect(body == .file(path: "/jobs/[a] {b}*/s/x", within: "/jobs/[a] {b}*/s"))
    }

    @Test func `no matching file is a warning`() throws {
        let plan = try Self.plan("{ glob: s/*.gif }", Self.site)
        #expect(plan.taskCount == 0)
        #expect(plan.warnings.first?.message.hasSuffix("makes no task: no file matches") == true)
    }

    @Test func `links to folders and pipes are skipped with a warning`() throws {
        let plan = try Self.plan("{ glob: s/** }", ["s/a", "s/link@", "s/other@", "s/pipe?"])
        #expect(Self.ids(plan) == ["t[a]"])
        #expect(
            plan.warnings.map(\.message) == [
                "`glob` skips 2 links to folders, such as `s/link`; 1 pipe, socket or device: `s/pipe`"
            ]
        )
    }

    @Test(arguments: [
        ("s/*", ["t[a]", "t[in]"], true), ("[s/*, s/out]", ["t[a]", "t[in]", "t[out]"], true),
        ("s/out", ["t[out]"], false),
    ])
    func `a link out of the folder is sent only by its name`(
        glob: String,
        expected: [String],
        warns: Bool
    ) throws {
        let plan = try Self.plan("{ glob: \(glob) }", ["s/a", "s/in>", "s/out>"]) { path in
            ["/jobs/s/out": "/root/key", "/jobs/s/in": "/jobs/s/a"][path] ?? path
        }
        #expect(Self.ids(plan) == expected)
        #expect(
            plan.warnings.map(\.message)
                == (warns ? ["`glob` skips 1 link out of the folder: `s/out`"] : [])
        )
    }

    @Test func `a name that is not UTF-8 is an error`() throws {
        let foreign = "\u{10FFFF}"
        let rejected = #expect(throws: PlanRejected.self) {
            try Self.plan("{ glob: s/** }", ["s/a", "s/b\(foreign)/c"])
        }
        let message = "`glob`: the name of the file `b\\xFF/c` is not UTF-8"
        #expect(rejected?.diagnostics.first?.message == message)
        let plan = try Self.plan("{ glob: ['s/**', '!s/b?/**'] }", ["s/a", "s/b\(foreign)/c"])
        #expect(Self.ids(plan) == ["t[a]"])
    }

    @Test func `the key of a long path is its end behind a number`() throws {
        let long = String(repeating: "folder/", count: 40)
        let plan = try Self.plan("{ glob: s/** }", ["s/\(long)a", "s/\(long)b"])
        let ids = Self.ids(plan)
        #expect(Set(ids).count == 2)
        #expect(ids.allSatisfy { $0.utf8.count == 203 })
        #expect(ids[0].hasSuffix("folder/a]"))
        #expect(Self.ids(try Self.plan("{ glob: s/** }", ["s/\(long)a"])) == [ids[0]])
    }

    @Test func `a missing folder is a fault of the environment`() throws {
        let rejected = #expect(throws: PlanRejected.self) {
            try Self.plan("{ glob: nowhere/** }", Self.site)
        }
        #expect(rejected?.isEnvironment == true)
        #expect(
            rejected?.diagnostics.first?.message == "`glob`: there is no folder `nowhere`"
        )
    }
}
