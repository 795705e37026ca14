import TestSupport
import Testing
import TransferModel

/// Downloads with a `signature`, which a program checks before the file gets its name.
@Suite struct DownloadSignatureTests {
    private static let body = Array("hello world".utf8)

    /// Answers `/sig` with a signature, and every other path with a body.
    private func server(
        _ signature: [UInt8],
        body: [UInt8] = body,
        _ headers: [String] = []
    ) throws -> ScriptedServer {
        try ScriptedServer { $0.path == "/sig" ? .ok(signature) : .ok(body, headers) }
    }

    /// A job of a signature and the file that it vouches for.
    private func job(
        _ server: ScriptedServer,
        _ signer: Signer,
        program: String = "minisign",
        key: String = "key",
        timeout: String = "60s",
        to path: String = "a.bin",
        _ keys: String = ""
    ) throws -> JobFolder {
        let job = try JobFolder(
            """
            version: 1
            defaults: { retry: { attempts: 1 } }
            downloads:
              sig: { url: "\(server.url("/sig"))", to: a.sig }
              a:
                url: "\(server.url("/a.bin"))"
                to: \(path)
                needs: sig
                signature: { program: \(program), file: a.sig, key: \(key), timeout: \(timeout) }
                \(keys)
            """
        )
        try job.folder.write(try signer.key, to: "key")
        return job
    }

    /// A folder with a program of that name, which is alone in it.
    private func folder(with program: String, _ script: String, in job: JobFolder) throws -> String
    {
        try job.folder.makeFolder("programs")
        try job.folder.write("#!/bin/sh\n" + script, to: "programs/" + program, mode: 0o755)
        return job.folder.path("programs")
    }

    private func message(_ run: RunOutcome) -> String {
        run.task("a")?["error"]?["message"]?.string ?? ""
    }

    @Test(arguments: ["minisign", "gpgv"])
    func `a file for which the program vouches gets its name`(program: String) throws {
        let signer = try program == "gpgv" ? Signer.gpg() : Signer.minisign()
        let server = try server(try signer.signature(of: Self.body))
        let job = try job(server, signer, program: program)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("a.bin") == Self.body)
        #expect(run.task("a")?["extension"]?["vouchedBy"]?.string == "signature")
    }

    @Test func `a job may have the key of minisign itself`() throws {
        let signer = try Signer.minisign()
        let server = try server(try signer.signature(of: Self.body))
        for (own, code) in [(signer, 0), (try Signer.minisign(), 6)] as [(Signer, Int32)] {
            let job = try job(server, own, key: own.keyLine)
            #expect(try job.run().code == code)
        }
    }

    @Test func `a peer may name a file with a key but not give the key itself`() throws {
        var signer = try Signer.minisign()
        // A name from a peer has no slash.
        while try signer.keyLine.contains("/") { signer = try Signer.minisign() }
        let key = try signer.keyLine
        let server = try server(try signer.signature(of: Self.body), ["X-Key: \(key)"])
        let job = try job(server, signer, key: "\"${task.who.key}\"")
        let text = try job.folder.text("job.yaml").replacing(
            "needs: sig",
            with: "needs: [sig, who]"
        )
        let capture = "capture: { key: { header: X-Key } }"
        let who = "data: { who: { url: \"\(server.url("/who"))\", \(capture) } }"
        try job.folder.write(text + "\n" + who, to: "job.yaml")
        let run = try job.run()
        #expect(run.code == 4, "\(run.command.standardError)")
        #expect(run.kind("a") == "localIO", "\(message(run))")
        #expect(!job.folder.contains("a.bin"))
    }

    @Test func `a signature of text does not count because its line ends are open`() throws {
        let signer = try Signer.gpg()
        let server = try server(try signer.signature(of: Self.body, isOfText: true))
        let run = try job(server, signer, program: "gpgv").run()
        #expect(run.code == 6)
        #expect(message(run).contains("of text (`--textmode`)"), "\(message(run))")
    }

    enum Fault: String, CaseIterable {
        case otherFile, otherKey, broken, empty
    }

    @Test(arguments: ["minisign", "gpgv"], Fault.allCases)
    func `a file for which the program does not vouch gets no name`(
        program: String,
        fault: Fault
    ) throws {
        let make = { try program == "gpgv" ? Signer.gpg() : Signer.minisign() }
        let signer = try make()
        let signature =
            switch fault {
            case .otherFile: try signer.signature(of: Array("hello werld".utf8))
            case .otherKey: try make().signature(of: Self.body)
            case .broken: Array(try signer.signature(of: Self.body).prefix(40))
            case .empty: [UInt8]()
            }
        let server = try server(signature)
        let job = try job(server, signer, program: program)
        let run = try job.run()
        #expect(run.code == 6, "\(run.command.standardError)")
        #expect(run.kind("a") == "signature")
        #expect(message(run).contains("\(program) does not vouch for the file"), "\(message(run))")
        #expect(message(run).contains("`a.sig` and the key `key`: "), "\(message(run))")
        #expect(try job.folder.list() == ["a.sig", "job.yaml", "key", "report.json"])
    }

    @Test func `a signature by an expired key does not count`() throws {
        let signer = try Signer.gpg(expiredAfter: 1)
        let server = try server(try signer.signature(of: Self.body))
        let job = try job(server, signer, program: "gpgv")
        let run = try job.run()
        #expect(run.kind("a") == "signature")
        #expect(message(run).contains("its key has expired"), "\(message(run))")
        #expect(!job.folder.contains("a.bin"))
    }

    @Test func `a signed message is no signature of the file`() throws {
        let signer = try Signer.gpg()
        let server = try server(try signer.message(of: Self.body))
        let job = try job(server, signer, program: "gpgv")
        let run = try job.run()
        #expect(run.kind("a") == "signature")
        #expect(message(run).contains("not a detached signature"), "\(message(run))")
    }

    @Test(arguments: ["minisign", "gpgv"])
    func `a missing program ends the run with 4 and the name of its package`(
        program: String
    ) throws {
        let signer = try Signer.minisign()
        let server = try server(try signer.signature(of: Self.body))
        let job = try job(server, signer, program: program)
        try job.folder.makeFolder("empty")
        let run = try job.run(environment: ["PATH": job.folder.path("empty")])
        #expect(run.code == 4)
        #expect(message(run).contains("`\(program)`"), "\(message(run))")
        #expect(message(run).contains("is not installed"), "\(message(run))")
        #expect(run.command.standardError.contains("install the package `\(program)`"))
        #expect(!job.folder.contains("a.bin"))
    }

    @Test(arguments: ["a.sig", "key"])
    func `a missing file ends the task before the body arrives`(name: String) throws {
        let signer = try Signer.minisign()
        let signature = try signer.signature(of: Self.body)
        let rest = try Gate()
        let server = try ScriptedServer([
            "/sig": [.ok(signature)],
            "/a.bin": [Reply([.send(Reply.head(200, ["Content-Length: 9"])), .wait(rest)])],
        ])
        let job = try job(server, signer)
        let text = try job.folder.text("job.yaml")
        try job.folder.write(text.replacing(": \(name),", with: ": none,"), to: "job.yaml")
        let run = try job.run()
        #expect(run.code == 4, "\(run.command.standardError)")
        #expect(run.kind("a") == "localIO")
        #expect(message(run).contains("none"), "\(message(run))")
    }

    @Test(arguments: ["exec /bin/sleep 1000", "exec /usr/bin/yes >&2"])
    func `a program that does not end is killed at its limit`(script: String) throws {
        let signer = try Signer.minisign()
        let server = try server(try signer.signature(of: Self.body))
        let job = try job(server, signer, timeout: "200ms")
        let path = try folder(with: "minisign", script, in: job)
        let run = try job.run(environment: ["PATH": path])
        #expect(run.code == 6)
        #expect(message(run).contains("it did not end within 200ms"), "\(message(run))")
        #expect(!job.folder.contains("a.bin"))
    }

    @Test(arguments: [true, false])
    func `a program that outlasts the time of its task is killed`(isPresent: Bool) throws {
        let signer = try Signer.minisign()
        let server = try server(try signer.signature(of: Self.body))
        let job = try job(server, signer, timeout: "5s", "session: brief")
        let sessions = "sessions: { s: {}, brief: { timeoutIntervalForResource: 1s } }"
        let text = try job.folder.text("job.yaml").replacing("{ url", with: "{ session: s, url")
        try job.folder.write(text + "\n" + sessions, to: "job.yaml")
        if isPresent { try job.folder.write(Self.body, to: "a.bin") }
        let path = try folder(with: "minisign", "exec /bin/sleep 1000", in: job)
        let run = try job.run(environment: ["PATH": path])
        #expect(run.kind("a") == "timeout", "\(message(run))")
        #expect(message(run).contains("`timeoutIntervalForResource: 1s`"), "\(message(run))")
        #expect(job.folder.contains("a.bin") == isPresent)
    }

    @Test(arguments: [true, false])
    func `a stopped run ends the program`(isPresent: Bool) throws {
        let signer = try Signer.minisign()
        let server = try server(try signer.signature(of: Self.body))
        let job = try job(server, signer, timeout: "1h")
        if isPresent { try job.folder.write(Self.body, to: "a.bin") }
        let started = job.folder.path("started")
        let script = "echo $$ > \(started)\nexec /bin/sleep 1000"
        let path = try folder(with: "minisign", script, in: job)
        let running = try job.runCommand([], environment: ["PATH": path]).start()
        try job.folder.wait(for: "the program") { job.folder.contains("started") }
        running.signal(15)
        _ = try running.waitForLine(containing: "stopping")
        running.signal(15)
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 143)
        #expect(run.outcome("a") == "cancelled")
        #expect(job.folder.contains("a.bin") == isPresent)
    }

    @Test func `the program gets no secrets, and its words no place to hide`() throws {
        let signer = try Signer.minisign()
        let server = try server(try signer.signature(of: Self.body))
        let job = try job(server, signer)
        let script = "printf 'first\\033[2J\\nsecond %s' \"$TOKEN\" >&2\nexit 1"
        let path = try folder(with: "minisign", script, in: job)
        let run = try job.run(environment: ["PATH": path, "TOKEN": "hunter2"])
        #expect(message(run).contains(": first[2J second"), "\(message(run))")
    }
}

/// The ways by which a file could get or keep its name without its signature.
extension DownloadSignatureTests {
    /// Writes a file to the path of a job, or into its folder under the server's name.
    @discardableResult
    private func write(_ text: String, to path: String, in job: JobFolder) throws -> String {
        let file = path == "out/" ? "out/a.bin" : path
        try job.folder.makeFolder("out")
        try job.folder.write(text, to: file)
        return file
    }

    @Test(arguments: ["replace", "skip", "revalidate"])
    func `a present file for which the program vouches is unchanged`(rule: String) throws {
        let signer = try Signer.minisign()
        let server = try server(try signer.signature(of: Self.body))
        let job = try job(server, signer, "ifExists: \(rule)")
        try job.folder.write(Self.body, to: "a.bin")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.outcome("a") == "unchanged")
        #expect(run.task("a")?["extension"]?["vouchedBy"]?.string == "signature")
        #expect(server.requests.map(\.path) == ["/sig"])
    }

    @Test(arguments: [(true, "keep"), (false, "fetch")])
    func `a comparison of the plan with the disk asks the program`(
        isSigned: Bool,
        action: String
    ) throws {
        let signer = try Signer.minisign()
        let server = try server([])
        let job = try job(server, signer)
        let signed = isSigned ? Self.body : Array("other".utf8)
        try job.folder.write(try signer.signature(of: signed), to: "a.sig")
        try job.folder.write(Self.body, to: "a.bin")
        let outlook = try job.runner(["plan", "job.yaml", "--diff", "--show-values"])
            .standardOutput
        let words = isSigned ? "its signature" : "another signature"
        let line = outlook.split(separator: "\n").first { $0.contains("download a:") }
        #expect(line?.hasPrefix(action) == true, "\(outlook)")
        #expect(line?.hasSuffix("a.bin has \(words)") == true, "\(outlook)")
    }

    @Test func `a plan finds a wrong checksum before the signature is there`() throws {
        let checksum = "checksum: sha256:" + String(repeating: "0", count: 64)
        let job = try job(try server([]), try Signer.minisign(), checksum)
        try job.folder.write(Self.body, to: "a.bin")
        let outlook = try job.runner(["plan", "job.yaml", "--diff", "--show-values"]).standardOutput
        #expect(outlook.contains("fetch    download a: a.bin has another"), "\(outlook)")
    }

    @Test(arguments: ["--diff", "--ask"])
    func `a plan says that a signature cannot be checked yet`(option: String) throws {
        let job = try job(try server([]), try Signer.minisign())
        try job.folder.write(Self.body, to: "a.bin")
        let outlook = try job.runner(["plan", "job.yaml", option, "--show-values"]).standardOutput
        let words = "check    download a: the signature of a.bin cannot be checked yet\n"
        #expect(outlook.contains(words), "\(outlook)")
    }

    @Test(arguments: ["replace", "skip", "revalidate"], ["a.bin", "out/"])
    func `a present file for which the program does not vouch is replaced`(
        rule: String,
        path: String
    ) throws {
        let signer = try Signer.minisign()
        let server = try server(try signer.signature(of: Self.body))
        let job = try job(server, signer, to: path, "ifExists: \(rule)")
        let file = try write("hello werld", to: path, in: job)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.outcome("a") == "succeeded")
        #expect(try job.folder.read(file) == Self.body)
    }

    @Test(arguments: ["replace", "skip", "revalidate"], ["a.bin", "out/"])
    func `a present file is not unchanged when the server has no other`(
        rule: String,
        path: String
    ) throws {
        let signer = try Signer.minisign()
        let server = try server(try signer.signature(of: Self.body), body: Array("bad".utf8))
        let job = try job(server, signer, to: path, "ifExists: \(rule)")
        try write("bad", to: path, in: job)
        let run = try job.run()
        #expect(run.code == 6, "\(run.command.standardError)")
        #expect(run.kind("a") == "signature")
    }

    @Test(arguments: ["replace", "skip", "revalidate"], [true, false])
    func `a checksum does not stand in for a signature`(rule: String, isPresent: Bool) throws {
        let signer = try Signer.minisign()
        let server = try server(try signer.signature(of: Array("other".utf8)))
        let digest = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
        let keys = "ifExists: \(rule)\n    checksum: \"sha256:\(digest)\""
        let job = try job(server, signer, keys)
        if isPresent { try job.folder.write(Self.body, to: "a.bin") }
        let run = try job.run()
        #expect(run.code == 6, "\(run.command.standardError)")
        #expect(run.kind("a") == "signature")
        #expect(job.folder.contains("a.bin") == isPresent)
    }

    @Test func `a file that appears during the transfer is replaced`() throws {
        let signer = try Signer.minisign()
        let signature = try signer.signature(of: Self.body)
        let (arrived, rest) = (try Gate(), try Gate())
        let server = try ScriptedServer([
            "/sig": [.ok(signature)],
            "/a.bin": [Reply([.open(arrived), .wait(rest)]) + Reply.ok(Self.body).steps],
        ])
        let job = try job(server, signer, "ifExists: skip")
        let running = try job.runCommand().start()
        try arrived.wait()
        try job.folder.write("planted", to: "a.bin")
        rest.open()
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.outcome("a") == "succeeded")
        #expect(try job.folder.read("a.bin") == Self.body)
    }

    @Test(arguments: [
        ("Cache-Control: max-age=600", "cachePolicy: useProtocolCachePolicy"),
        ("Cache-Control: max-age=600", "ifExists: revalidate"),
        ("Cache-Control: no-cache", "ifExists: revalidate"),
    ])
    func `a stored response needs the signature, too`(field: String, rule: String) throws {
        let signer = try Signer.minisign()
        let signature = try signer.signature(of: Array("other".utf8))
        let server = try ScriptedServer { request in
            if request.path == "/sig" { return .ok(signature) }
            let fields = [field, "ETag: \"1\""]
            return request.headers["If-None-Match"] == nil
                ? .ok(Self.body, fields) : .status(304, fields)
        }
        let job = try job(server, signer, rule)
        let text = try job.folder.text("job.yaml")
        let lines = text.split(separator: "\n").filter { !$0.contains("signature:") }
        try job.folder.write(lines.joined(separator: "\n"), to: "job.yaml")
        #expect(try job.run().code == 0)
        #expect(job.folder.contains("a.bin"))
        try job.folder.write(text, to: "job.yaml")
        let run = try job.run()
        #expect(run.code == 6, "\(run.command.standardError)")
        #expect(run.kind("a") == "signature")
        #expect(run.task("a")?["extension"]?["cache"]?["verdict"]?.string != "miss")
    }

    @Test(arguments: ["", "segments: 4"])
    func `a resumed or divided file that is not signed leaves nothing`(keys: String) throws {
        let signer = try Signer.minisign()
        let signature = try signer.signature(of: Self.body)
        let body = FileContent.patterned(4 << 20)
        let tag = ["ETag: \"1\""]
        let server = try ScriptedServer { request in
            if request.path == "/sig" { return .ok(signature) }
            if keys.isEmpty, request.earlierRequestsForPath == 0 {
                return .ok(body, tag).cut(after: 2_000_000)
            }
            return request.rangeStart.map { .part(of: body, from: $0, tag) } ?? .ok(body, tag)
        }
        let job = try job(server, signer, keys + "\n    resume: true\n    retry: { attempts: 2 }")
        let run = try job.run()
        #expect(run.code == 6, "\(run.command.standardError)")
        #expect(run.kind("a") == "signature")
        #expect(try job.folder.list() == ["a.sig", "job.yaml", "key", "report.json"])
    }

    @Test func `a mirror is asked after a file that is not signed`() throws {
        let signer = try Signer.minisign()
        let signature = try signer.signature(of: Self.body)
        let server = try ScriptedServer([
            "/sig": [.ok(signature)], "/a.bin": [.ok("bad")], "/b": [.ok(Self.body)],
        ])
        let job = try job(server, signer, "mirrors: [\"\(server.url("/b"))\"]")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.attempts("a").map { $0["reason"]?.string } == ["signature", nil])
        #expect(try job.folder.read("a.bin") == Self.body)
    }

    @Test func `an archive that is not signed is not extracted`() throws {
        let signer = try Signer.minisign()
        let archive = try TestArchive.make("file(\"a\", b\"a\", 0o644)", format: "tar")
        let server = try server(try signer.signature(of: Self.body), body: archive)
        let job = try job(server, signer, "extract: out")
        #expect(try job.run().code == 6)
        #expect(!job.folder.contains("out"))
        #expect(!job.folder.contains("a.bin"))
    }

    @Test func `a download that a background session has ended without the signature is not over`()
        throws
    {
        let signer = try Signer.minisign()
        let server = try ScriptedServer { $0.path == "/b" ? .status(503) : .ok(Self.body) }
        let text = """
            version: 1
            sessions: { s: { configuration: background, identifier: nightly } }
            defaults: { retry: { attempts: 1 } }
            downloads:
              b: { url: "\(server.url("/b"))", to: b.bin }
              a: { url: "\(server.url("/a"))", to: a.bin
            """
        let job = try JobFolder(text + " }")
        try job.folder.write(try signer.key, to: "key")
        try job.folder.write(try signer.signature(of: Array("other".utf8)), to: "a.sig")
        #expect(try job.run().outcome("a") == "succeeded")
        let signature = ", signature: { program: minisign, file: a.sig, key: key } }"
        try job.folder.write(text + signature, to: "job.yaml")
        #expect(try job.run().kind("a") == "signature")
    }

    @Test func `a server cannot name its file like the key`() throws {
        let signer = try Signer.minisign()
        let server = try server(
            try signer.signature(of: Self.body),
            ["Content-Disposition: attachment; filename=key"]
        )
        let job = try job(server, signer, to: "./", "ifExists: replace")
        let run = try job.run()
        #expect(run.kind("a") == "localIO", "\(run.command.standardError)")
        #expect(try job.folder.read("key") == signer.key)
    }

    @Test func `neither a lock file nor a locked run takes a file that is not signed`() throws {
        let signer = try Signer.minisign()
        let server = try ScriptedServer { _ in .ok(Self.body) }
        let job = try JobFolder(
            """
            version: 1
            downloads:
              a:
                url: "\(server.url("/a"))"
                to: a.bin
                signature: { program: minisign, file: a.sig, key: key }
                retry: { attempts: 1 }
            """
        )
        try job.folder.write(try signer.key, to: "key")
        let wrong = try signer.signature(of: Array("other".utf8))
        try job.folder.write(wrong, to: "a.sig")
        #expect(try job.runner(["lock", "job.yaml"]).status == .exit(6))
        #expect(!job.folder.contains("job.lock"))
        try job.folder.write(try signer.signature(of: Self.body), to: "a.sig")
        #expect(try job.runner(["lock", "job.yaml"]).status == .exit(0))
        try job.folder.write(wrong, to: "a.sig")
        let run = try job.run("--locked")
        #expect(run.code == 6)
        #expect(run.kind("a") == "signature")
    }
}
