import SystemKit
import TestSupport
import Testing
import TransferModel

/// Tasks of `ftp`, `ftps` and `sftp` URLs against pyftpdlib and OpenSSH, by the built executable.
@Suite struct FileServerTests {
    static let environment: [String: String?] = ["PASSWORD": FTPServer.password]

    /// Bytes that differ at every place.
    static func content(_ count: Int) -> [UInt8] {
        var generator = SplitMix64(seed: UInt64(count))
        return FileContent.random(count, &generator)
    }

    static func digest(of bytes: [UInt8]) throws -> String {
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: "x")
        return String(try Command("sha256sum", [path]).run().standardOutput.prefix(64))
    }

    static func urlError(_ run: RunOutcome) -> String? {
        run.task("a")?["error"]?["urlError"]?["name"]?.string
    }

    /// Writes a file that was modified long ago, so that its time is a validator.
    static func put(_ bytes: [UInt8], _ path: String, in folder: TemporaryFolder) throws {
        try folder.write(bytes, to: path)
        _ = try Command("touch", ["-d", "@1700000000", folder.path(path)]).run()
    }

    /// A job with one session for a server of FTP, with its login and its authority.
    static func ftp(
        _ server: FTPServer,
        _ tasks: String,
        tls: String = "required",
        more: String = ""
    ) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            secrets: { password: { env: PASSWORD } }
            sessions:
              s:
                ftp: { tls: \(tls) }
                tls: { caFile: \(try TestCertificates.shared().authorityFile) }
                credentials:
                  - { method: basic, origin: "\(server.origin)", user: ada,
                      password: "${secret.password}" }
                \(more)
            \(tasks)
            """
        )
    }

    static func sftp(
        _ server: SSHServer,
        _ tasks: String,
        trust: String? = nil,
        credential: String? = nil,
        more: String = ""
    ) throws -> JobFolder {
        let trust = trust ?? "knownHosts: \(server.folder.path("known_hosts"))"
        let credential =
            credential ?? "key: \(server.folder.path("user"))"
        return try JobFolder(
            """
            version: 1
            sessions:
              s:
                ssh: { \(trust) }
                credentials:
                  - { method: publicKey, origin: "sftp://127.0.0.1:\(server.port)",
                      user: \(server.user), \(credential) }
                \(more)
            \(tasks)
            """
        )
    }

    // MARK: - FTP

    @Test(arguments: [
        (FTPServer.Security.none, "none"), (.explicit, "required"), (.implicit, "required"),
    ])
    func `files come from a server of FTP, with and without TLS`(
        _ security: FTPServer.Security,
        _ tls: String
    ) throws {
        let server = try FTPServer(security)
        let body = Self.content(300_000)
        try Self.put(body, "a b.bin", in: server.folder)
        try Self.put([], "empty", in: server.folder)
        try server.folder.write(#"{"user":"eve"}"#, to: "user.json")
        let digest = try Self.digest(of: body)
        let job = try Self.ftp(
            server,
            """
            downloads:
              big: { url: "\(server.origin)/a%20b.bin", to: out/, checksum: "sha256:\(digest)" }
              empty: { url: "\(server.origin)/empty", to: out/ }
            data:
              user:
                url: "\(server.origin)/user.json"
                expect: { json: { /user: eve } }
                capture: { user: { json: /user } }
            """,
            tls: tls
        )
        let run = try job.run(environment: Self.environment)
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a b.bin") == body)
        #expect(try job.folder.read("out/empty").isEmpty)
        let exchange = try #require(run.exchanges("big").first)
        #expect(exchange["networkProtocolName"]?.string == (security == .implicit ? "ftps" : "ftp"))
        #expect(exchange["response"]?["statusCode"]?.integer == 200)
        #expect(exchange["countOfResponseBodyBytesReceived"]?.integer == 300_000)
        let version = exchange["negotiatedTLSProtocolVersion"]
        #expect((version?.isNull ?? true) == (security == .none))
        let commands = try server.commands()
        #expect(commands.contains("USER ada"))
        #expect(commands.contains { $0.hasPrefix("EPSV") })
        if security == .explicit {
            #expect(commands.first == "AUTH SSL" || commands.first == "AUTH TLS")
            #expect(commands.contains("PROT P"))
        }
        #expect(try !job.folder.text("report.json").contains(FTPServer.password))
    }

    @Test func `a server of FTP without TLS is refused before the login`() throws {
        let server = try FTPServer()
        try server.folder.write("x", to: "x")
        let job = try Self.ftp(
            server,
            "downloads: { a: { url: \"\(server.origin)/x\", to: out } }"
        )
        let run = try job.run(environment: Self.environment)
        #expect(run.kind("a") == "tls")
        #expect(try !server.commands().contains { $0.hasPrefix("USER") })
    }

    @Test func `a certificate that the session does not trust ends FTP over TLS`() throws {
        for security in [FTPServer.Security.explicit, .implicit] {
            let server = try FTPServer(security)
            try server.folder.write("x", to: "x")
            let job = try JobFolder(
                """
                version: 1
                sessions: { s: { ftp: { tls: required } } }
                downloads: { a: { url: "\(server.origin)/x", to: out } }
                """
            )
            let run = try job.run()
            #expect(run.kind("a") == "tls")
            #expect(try !server.commands().contains { $0.hasPrefix("USER") })
        }
    }

    @Test func `a reply of 400 is retried, a reply of 500 is not`() throws {
        let server = try FTPServer()
        for name in ["busy", "shut"] { try server.folder.write(name, to: name) }
        let retry = "retry: { attempts: 3, backoff: { initial: 10ms } }"
        let job = try Self.ftp(
            server,
            """
            downloads:
              busy: { url: "\(server.origin)/busy", to: out/busy, \(retry) }
              shut: { url: "\(server.origin)/shut", to: out/shut, \(retry) }
              gone: { url: "\(server.origin)/gone", to: out/gone, \(retry) }
            """,
            tls: "none"
        )
        let run = try job.run(environment: Self.environment)
        #expect(try job.folder.text("out/busy") == "busy")
        #expect(run.attempts("busy").count == 2)
        #expect(try job.folder.text("out/shut") == "shut")
        #expect(run.attempts("shut").map { $0["reason"]?.string } == ["reset", nil])
        #expect(run.kind("gone") == "httpStatus")
        #expect(run.attempts("gone").count == 1)
        let detail = run.task("gone")?["error"]?["message"]?.string ?? ""
        #expect(detail.contains("550"), "\(detail)")
    }

    @Test func `a control connection of FTP that is lost before the last reply is reset`() throws {
        let server = try FTPServer()
        try server.folder.write("all of it", to: "lost")
        let job = try Self.ftp(
            server,
            """
            downloads:
              a:
                url: "\(server.origin)/lost"
                to: out
                retry: { attempts: 2, on: [reset], backoff: { initial: 10ms } }
            """,
            tls: "none"
        )
        let run = try job.run(environment: Self.environment)
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.attempts("a").map { $0["reason"]?.string } == ["reset", nil])
        #expect(try job.folder.text("out") == "all of it")
    }

    @Test func `a refused login is not repeated`() throws {
        let server = try FTPServer()
        let job = try Self.ftp(
            server,
            "downloads: { a: { url: \"\(server.origin)/x\", to: out } }",
            tls: "none"
        )
        let run = try job.run(environment: ["PASSWORD": "wrong wrong wrong"])
        #expect(run.attempts("a").count == 1)
        #expect(Self.urlError(run) == "userAuthenticationRequired")
        #expect(try !job.folder.text("report.json").contains("wrong wrong"))
    }

    @Test func `a cut file is resumed by REST if its size and its time are the same`() throws {
        let server = try FTPServer()
        let body = Self.content(2_000_000)
        try Self.put(body, "cut.bin", in: server.folder)
        let job = try Self.ftp(
            server,
            """
            downloads:
              a:
                url: "\(server.origin)/cut.bin"
                to: out
                retry: { attempts: 3, backoff: { initial: 10ms } }
            """,
            tls: "none"
        )
        let run = try job.run(environment: Self.environment)
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out") == body)
        #expect(run.attempts("a").count == 2)
        #expect(run.exchanges("a").last?["response"]?["statusCode"]?.integer == 206)
        #expect(try server.commands().contains { $0.hasPrefix("REST ") && $0 != "REST 0" })
    }

    @Test func `no escape in a path becomes a command of FTP`() throws {
        for path in [
            "x%0d%0aDELE%20y", "x%0A", "a/%2e%2e/x", "a%2F..%2Fx", "x;type=a", "d/", "%zz",
        ] {
            let job = try JobFolder(
                """
                version: 1
                sessions: { s: { ftp: {} } }
                downloads: { a: { url: "ftp://127.0.0.1:9/\(path)", to: out } }
                """
            )
            let outcome = try job.runner(["validate", "job.yaml"])
            #expect(outcome.status == .exit(3), "\(path)")
        }
    }

    @Test(arguments: [
        (FTPServer.Security.none, "none"), (.explicit, "required"), (.implicit, "required"),
    ])
    func `an upload by FTP gets its name when it is whole`(
        _ security: FTPServer.Security,
        _ tls: String
    ) throws {
        let server = try FTPServer(security)
        let body = Self.content(700_000)
        try server.folder.makeFolder("in")
        try server.folder.write("old", to: "in/a b")
        let job = try Self.ftp(
            server,
            """
            uploads:
              a: { url: "\(server.origin)/in/a%20b", file: body }
              empty: { url: "\(server.origin)/in/empty", text: "" }
              order: { url: "\(server.origin)/order.json", json: { n: 1 } }
              pipe: { url: "\(server.origin)/pipe", stream: { command: [printf, "12345"] } }
            """,
            tls: tls
        )
        try job.folder.write(body, to: "body")
        let run = try job.run(environment: Self.environment)
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try server.folder.read("in/a b") == body)
        #expect(try server.folder.text("in/empty").isEmpty)
        #expect(try server.folder.text("order.json") == #"{"n":1}"#)
        #expect(try server.folder.text("pipe") == "12345")
        #expect(
            try Command("ls", ["-A", server.folder.path("in")]).run().standardOutput
                == "a b\nempty\n"
        )
        let sent = run.exchanges("a").first?["countOfRequestBodyBytesSent"]?.integer
        #expect(sent == 700_000)
        #expect(try server.commands().contains("RNTO a b"))
        #expect(try !server.commands().contains { $0.hasPrefix("STOR a") })
    }

    @Test func `a refused upload by FTP leaves the old file`() throws {
        let server = try FTPServer()
        try server.folder.write("old", to: "x")
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { ftp: { tls: none } } }
            uploads: { a: { url: "\(server.origin)/x", text: new } }
            """
        )
        let run = try job.run()
        #expect(run.kind("a") == "httpStatus")
        #expect(run.attempts("a").count == 1)
        #expect(try server.folder.text("x") == "old")
    }

    @Test func `an upload by SFTP gets its name when it is whole`() throws {
        let server = try SSHServer()
        let body = Self.content(700_000)
        try server.folder.write("old", to: "files/a 'b")
        let job = try Self.sftp(
            server,
            """
            uploads:
              a: { url: "\(server.url("a%20'b"))", file: body }
              order: { url: "\(server.url("order.json"))", json: { n: 1 } }
              lost: { url: "\(server.url("none/x"))", text: x, required: false }
            """
        )
        try job.folder.write(body, to: "body")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try server.folder.read("files/a 'b") == body)
        #expect(try server.folder.text("files/order.json") == #"{"n":1}"#)
        #expect(run.outcome("lost") == "failed")
        #expect(run.attempts("lost").count == 1)
        let listing = try Command("ls", ["-A", server.folder.path("files")]).run().standardOutput
        #expect(listing == "a 'b\norder.json\n")
    }

    // MARK: - SFTP

    @Test func `files come from a known server of SSH`() throws {
        let server = try SSHServer()
        let body = Self.content(3_000_000)
        try Self.put(body, "files/a b.bin", in: server.folder)
        try Self.put([], "files/empty", in: server.folder)
        let digest = try Self.digest(of: body)
        for trust in [nil, "hostKey: \"\(server.fingerprint)\""] {
            let job = try Self.sftp(
                server,
                """
                downloads:
                  big: { url: "\(server.url("a%20b.bin"))", to: out/, checksum: "sha256:\(digest)" }
                  empty: { url: "\(server.url("empty"))", to: out/ }
                  gone: { url: "\(server.url("gone"))", to: out/, required: false }
                """,
                trust: trust
            )
            let run = try job.run()
            #expect(run.code == 0, "\(run.command.standardError)")
            #expect(try job.folder.read("out/a b.bin") == body)
            #expect(try job.folder.read("out/empty").isEmpty)
            #expect(run.exchanges("big").first?["networkProtocolName"]?.string == "sftp")
            #expect(run.kind("gone") == "httpStatus")
            #expect(run.attempts("gone").count == 1)
        }
    }

    @Test func `a folder at an SFTP URL is a failure that names it, and not for a retry`() throws {
        let server = try SSHServer()
        try server.folder.makeFolder("files/folder")
        let job = try Self.sftp(
            server,
            "downloads: { a: { url: \"\(server.url("folder"))\", to: out } }"
        )
        let run = try job.run()
        #expect(run.code == 1)
        #expect(run.kind("a") == "httpStatus")
        let message = run.task("a")?["error"]?["message"]?.string
        #expect(message?.contains("as it is with a folder") == true, "\(message ?? "")")
    }

    @Test func `an unknown server of SSH gets no login`() throws {
        let server = try SSHServer()
        try Self.put([1], "files/x", in: server.folder)
        let stranger = try server.folder.text("stranger.pub").split(separator: " ").prefix(2)
        let line = "[127.0.0.1]:\(server.port) \(stranger.joined(separator: " "))\n"
        try server.folder.write(line, to: "other_hosts")
        try server.folder.write("", to: "no_hosts")
        let wrong = "SHA256:" + String(repeating: "A", count: 43)
        for trust in [
            "knownHosts: \(server.folder.path("other_hosts"))",
            "knownHosts: \(server.folder.path("no_hosts"))", "hostKey: \"\(wrong)\"",
        ] {
            let job = try Self.sftp(
                server,
                "downloads: { a: { url: \"\(server.url("x"))\", to: out } }",
                trust: trust
            )
            let run = try job.run()
            #expect(run.kind("a") == "tls", "\(trust)")
            #expect(run.attempts("a").count == 1)
            #expect(try server.folder.text("no_hosts").isEmpty)
        }
    }

    @Test func `an encrypted key needs its password, and a strange key is refused`() throws {
        let server = try SSHServer()
        try Self.put([1], "files/x", in: server.folder)
        func run(_ credential: String) throws -> RunOutcome {
            let job = try Self.sftp(
                server,
                "downloads: { a: { url: \"\(server.url("x"))\", to: out } }",
                credential: credential
            )
            return try job.run()
        }
        let guarded = server.folder.path("guarded")
        #expect(try run("key: \(guarded), password: open sesame").outcome("a") == "succeeded")
        #expect(try run("key: \(guarded), password: wrong").outcome("a") == "failed")
        let strange = try run("key: \(server.folder.path("stranger"))")
        #expect(strange.attempts("a").count == 1)
        #expect(
            Self.urlError(strange) == "userAuthenticationRequired"
        )
    }

    @Test func `an sftp download is whole after fifty kills`() throws {
        let server = try SSHServer()
        let body = Self.content(12_000_000)
        try Self.put(body, "files/a.bin", in: server.folder)
        let digest = try Self.digest(of: body)
        let job = try Self.sftp(
            server,
            """
            downloads:
              a: { url: "\(server.url("a.bin"))", to: out, checksum: "sha256:\(digest)" }
            """,
            more: "limits: { bandwidth: { down: 600KiB/s } }"
        )
        var generator = SplitMix64.forTests()
        var kills = 0
        var isDone = false
        while kills < 50, !isDone {
            let running = try job.runCommand(["--progress", "none"]).start()
            let life = Duration.milliseconds(Int.random(in: 20...450, using: &generator))
            if (try? running.finish(within: life)) != nil {
                isDone = true
            } else {
                running.signal(9)
                _ = try running.finish()
                kills += 1
            }
            #expect(!job.folder.contains("out") || isDone)
        }
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out") == body)
        #expect(kills == 50)
    }

    @Test(arguments: [true, false])
    func `a part of another version is not continued`(isSSH: Bool) throws {
        // A run is stopped in the middle; then the file changes in time or in size.
        let ssh = isSSH ? try SSHServer() : nil
        let ftp = isSSH ? nil : try FTPServer()
        let folder = try #require(ssh?.folder ?? ftp?.folder)
        let name = isSSH ? "files/a.bin" : "a.bin"
        for change in ["same", "time", "size"] {
            let body = Self.content(2_000_000)
            try Self.put(body, name, in: folder)
            let tasks = "downloads: { a: { url: \"URL\", to: out } }"
            let job: JobFolder
            if let ssh {
                job = try Self.sftp(
                    ssh,
                    tasks.replacing("URL", with: ssh.url("a.bin")),
                    more: "limits: { bandwidth: { down: 1MiB/s } }"
                )
            } else {
                let server = try #require(ftp)
                job = try Self.ftp(
                    server,
                    tasks.replacing("URL", with: "\(server.origin)/a.bin"),
                    tls: "none",
                    more: "limits: { bandwidth: { down: 1MiB/s } }"
                )
            }
            let running = try job.runCommand(
                ["--progress", "none"],
                environment: Self.environment
            ).start()
            try job.folder.waitForSize(of: ".out.part", 500_000)
            running.signal(9)
            _ = try running.finish()
            var expected = body
            switch change {
            case "time":
                expected = Self.content(2_000_001).dropLast()
                try folder.write(expected, to: name)
            case "size":
                expected = Self.content(1_900_000)
                try Self.put(expected, name, in: folder)
            default: break
            }
            let run = try job.run(environment: Self.environment)
            #expect(run.code == 0, "\(run.command.standardError)")
            #expect(try job.folder.read("out") == expected, "\(change)")
            let statuses = run.exchanges("a").map { $0["response"]?["statusCode"]?.integer }
            #expect((statuses == [206]) == (change == "same"), "\(change): \(statuses)")
        }
    }
}
