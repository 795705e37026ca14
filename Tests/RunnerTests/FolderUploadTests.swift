import Glibc
import TestSupport
import Testing

@Suite struct FolderUploadTests {
    private static func job(_ server: ScriptedServer, _ glob: String = "site/**") -> String {
        """
        version: 1
        defaults: { retry: 2 }
        data: { login: { url: "\(server.url("/login"))" } }
        uploads:
          file:
            forEach: { glob: "\(glob)" }
            url: \(server.url("/up"))/${item.relativePath}
            method: PUT
            file: ${item.path}
            needs: login
        """
    }

    private static func server(_ paths: [String]) throws -> ScriptedServer {
        try ScriptedServer(
            Dictionary(uniqueKeysWithValues: (["/login"] + paths).map { ($0, [.ok("")]) })
        )
    }

    @Test func `every file of a folder arrives under its own path`() throws {
        let server = try Self.server(["/up/index.html", "/up/css/a%20b.css", "/up/link"])
        let job = try JobFolder(Self.job(server))
        try job.folder.makeFolder("site")
        try job.folder.makeFolder("site/css")
        try job.folder.write("<h1>", to: "site/index.html")
        try job.folder.write("h1 {}", to: "site/css/a b.css")
        try job.folder.write("no", to: "site/.hidden")
        #expect(unsafe symlink("index.html", job.folder.path("site/link")) == 0)
        #expect(unsafe symlink("css", job.folder.path("site/styles")) == 0)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(
            run.report["tasks"]?.elements.compactMap { $0["id"]?.string }.sorted() == [
                "file[css/a b.css]", "file[index.html]", "file[link]", "login",
            ]
        )
        #expect(server.requests(for: "/up/css/a%20b.css").first?.text == "h1 {}")
        #expect(server.requests(for: "/up/link").first?.text == "<h1>")
        #expect(
            run.command.standardError.contains(
                "`glob` skips 1 link to a folder: `site/styles` [job.skipped-files]"
            )
        )
    }

    @Test func `a stranger's link in a folder sends no private file`() throws {
        let server = try Self.server(["/up/a.csv"])
        let job = try JobFolder(Self.job(server))
        try job.folder.makeFolder("site")
        try job.folder.write("a", to: "site/a.csv")
        try job.folder.write("private", to: "key")
        #expect(unsafe symlink("../key", job.folder.path("site/evil.csv")) == 0)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.allSatisfy { $0.text != "private" })
        #expect(
            run.command.standardError.contains(
                "`glob` skips 1 link out of the folder: `site/evil.csv` [job.skipped-files]"
            )
        )
    }

    @Test func `a link that replaces a found file sends no private file`() throws {
        let folder = try TemporaryFolder()
        try folder.write("private", to: "key")
        try folder.makeFolder("site")
        let (key, file) = (folder.path("key"), folder.path("site/a.csv"))
        let server = try ScriptedServer { request in
            // The stranger acts when the plan is made and the file not yet open.
            if request.path == "/login" { _ = unsafe (unlink(file), symlink(key, file)) }
            return .ok("")
        }
        let job = try JobFolder(Self.job(server, folder.path("site/**")))
        try folder.write("a", to: "site/a.csv")
        let run = try job.run()
        #expect(run.outcome("file[a.csv]") == "failed")
        #expect(server.requests.allSatisfy { $0.text != "private" })
        #expect(
            run.task("file[a.csv]")?["error"]?["message"]?.string?.contains(
                "a link leads out of the folder"
            ) == true
        )
    }

    @Test func `a folder without matching files is said, and nothing fails`() throws {
        let server = try Self.server([])
        let job = try JobFolder(Self.job(server, "site/*.html"))
        try job.folder.makeFolder("site")
        let run = try job.run()
        #expect(run.code == 0)
        #expect(run.command.standardError.contains("makes no task: no file matches"))
    }

    @Test func `names that are not UTF-8 and unreadable folders stop the job`() throws {
        let server = try Self.server([])
        let job = try JobFolder(Self.job(server))
        try job.folder.makeFolder("site")
        let script = #"touch "site/b$(printf '\377').html""#
        let touch = Command("sh", ["-c", script], workingFolder: job.folder.path)
        #expect(try touch.run().status == .exit(0))
        let wrong = try job.runner(["validate", "job.yaml"])
        #expect(wrong.status == .exit(3))
        #expect(wrong.standardError.contains(#"the file `b\xFF.html` is not UTF-8"#))
        let gone = try JobFolder(Self.job(server, "gone/**"))
        #expect(try gone.runner(["validate", "job.yaml"]).status == .exit(4))
        let tolerated = try gone.runner(["validate", "--no-environment", "job.yaml"])
        #expect(tolerated.status == .exit(0), "\(tolerated.standardOutput)")
    }
}
