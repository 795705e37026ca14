import Glibc
import TestSupport
import Testing

/// Names that a server chooses, against the files that a run runs and reads.
@Suite struct OwnFileTests {
    private let evil = "#!/bin/sh\ntouch PWNED\n"

    /// A server that names its file and captured value `name`.
    private func server(_ name: String) throws -> ScriptedServer {
        let evil = evil
        return try ScriptedServer { request in
            request.path == "/info"
                ? .ok("{\"name\":\"\(name)\"}")
                : .ok(evil, ["Content-Disposition: attachment; filename=\"\(name)\""])
        }
    }

    private static let captured =
        #"needs: [info], to: "${task.info.name}""#
    private static let named = "to: ./, ifExists: replace"

    private func job(_ server: ScriptedServer, _ more: String, to: String) throws -> JobFolder {
        let job = try JobFolder(
            """
            version: 1
            data: { info: { url: "\(server.url("/info"))", capture: { name: { json: /name } } } }
            \(more.replacing("{}", with: server.url("/sent")).replacing("{origin}", with: server.origin))
            downloads: { thief: { url: "\(server.url("/file"))", \(to) } }
            """
        )
        let files = [
            "notify.sh": "#!/bin/sh\necho sesame\n", "body.json": "{}",
            "proxy.pac": "function FindProxyForURL() { return 'DIRECT' }",
            "secret.txt": "sesame", "netrc": "machine h login a password b",
        ]
        for (name, text) in files {
            try job.folder.write(text, to: name, mode: name == "notify.sh" ? 0o755 : 0o600)
        }
        return job
    }

    /// The setting that makes a file the run's own, and the file.
    private static let uses = [
        ("hooks: { onFinish: [./notify.sh] }", "notify.sh"),
        ("hooks: { onFailure: [./notify.sh] }", "notify.sh"),
        ("hooks: { onFinish: [sh, notify.sh] }", "notify.sh"),
        ("hooks: { onFinish: [sh, -c, 'exec ./notify.sh >log'] }", "notify.sh"),
        ("hooks: { onFinish: [env, --split-string=./notify.sh] }", "notify.sh"),
        ("hooks: { onFinish: [./link.sh] }", "notify.sh"),
        ("uploads: { u: { url: '{}', stream: { command: [./notify.sh] } } }", "notify.sh"),
        (
            "sessions: { own: { protocolClasses: [{ scheme: notes, command: [./notify.sh] }] } }",
            "notify.sh"
        ),
        ("uploads: { u: { url: '{}', text: { fromFile: body.json } } }", "body.json"),
        (
            "secrets: { s: { file: secret.txt, origins: ['{origin}'] } }\n"
                + "uploads: { u: { url: '{}', text: a, headers: { X: '${secret.s}' } } }",
            "secret.txt"
        ),
        (
            "secrets: { s: { command: [./notify.sh], origins: ['{origin}'] } }\n"
                + "uploads: { u: { url: '{}', text: a, headers: { X: '${secret.s}' } } }",
            "notify.sh"
        ),
        ("sessions: { own: { proxy: { pac: proxy.pac } } }", "proxy.pac"),
        ("sessions: { own: { credentials: [{ method: netrc, file: netrc }] } }", "netrc"),
    ]

    @Test(arguments: uses, [captured, named])
    func `a server names no file that the run runs or reads`(
        use: (setting: String, file: String),
        to: String
    ) throws {
        let server = try server(use.file)
        let job = try job(server, use.setting, to: to)
        try job.folder.link("link.sh", to: "notify.sh")
        let before = try job.folder.text(use.file)
        let run = try job.run()
        #expect(run.outcome("thief") == "failed", "\(run.command.standardError)")
        #expect(
            run.task("thief")?["error"]?["message"]?.string?
                .hasSuffix("\(use.file)` belongs to the run itself") == true
        )
        #expect(try job.folder.text(use.file) == before)
        #expect(!job.folder.contains("PWNED"))
    }

    @Test func `a file that the job names is replaced even if a hook runs it`() throws {
        let server = try server("other")
        let job = try job(server, "hooks: { onFinish: [./notify.sh] }", to: "to: notify.sh")
        let run = try job.run()
        #expect(run.outcome("thief") == "succeeded")
        #expect(try job.folder.text("notify.sh") == evil)
    }

    @Test(arguments: [
        ".git/hooks/post-checkout", "a/b", ".bashrc", "", "..", "/tmp/x",
    ])
    func `a captured value is one visible name`(name: String) throws {
        let server = try server(name)
        let job = try job(server, "", to: #"needs: [info], to: "out/${task.info.name}""#)
        let run = try job.run()
        #expect(run.outcome("thief") == "failed")
        #expect(
            run.task("thief")?["error"]?["message"]?.string?.contains("is not one name") == true
        )
        #expect(!job.folder.contains("out"))
    }

    @Test(arguments: [
        (#""out/${raw:task.info.name}""#, "a/.b", "out/a/.b"),
        (#""out/v${task.info.name}""#, ".5", "out/v.5"),
        (#""out/.${task.info.name}""#, "x", "out/.x"),
    ])
    func `a job may let a server choose more than a name`(
        to: String,
        name: String,
        path: String
    ) throws {
        let server = try server(name)
        let job = try job(server, "", to: "needs: [info], to: \(to)")
        let run = try job.run()
        #expect(run.outcome("thief") == "succeeded", "\(run.command.standardError)")
        #expect(try job.folder.text(path) == evil)
    }

    @Test(arguments: [captured + ", ifExists: replace", named])
    func `a file that a server names keeps no right to be executed`(to: String) throws {
        let server = try server("tool")
        let job = try job(server, "", to: to)
        try job.folder.write("old", to: "tool", mode: 0o755)
        let run = try job.run()
        #expect(run.outcome("thief") == "succeeded", "\(run.command.standardError)")
        #expect(try job.folder.text("tool") == evil)
        #expect(try job.folder.mode(of: "tool") == 0o644)
    }

    @Test func `a captured name of an archive's folder replaces no folder of a hook`() throws {
        let archive = try TestArchive.make("file('notify.sh')")
        let server = try ScriptedServer { request in
            request.path == "/info" ? .ok(#"{"name":"scripts"}"#) : .ok(archive)
        }
        let job = try job(
            server,
            "hooks: { onFinish: [scripts/notify.sh] }",
            to:
                #"needs: [info], to: a.tar, extract: { to: "${task.info.name}", ifExists: replace }"#
        )
        try job.folder.makeFolder("scripts")
        try job.folder.write("#!/bin/sh\n", to: "scripts/notify.sh", mode: 0o755)
        let run = try job.run()
        #expect(run.outcome("thief") == "failed")
        #expect(try job.folder.text("scripts/notify.sh") == "#!/bin/sh\n")
    }
}
