import TestSupport
import Testing

/// File servers that let the client wait, by the built executable.
@Suite struct SilentFileServerTests {
    @Test(arguments: [FTPServer.Security.explicit, .implicit])
    func `a reply of FTP is read while the handshake for the file has not begun`(
        _ security: FTPServer.Security
    ) throws {
        let server = try FTPServer(security)
        for name in ["a", "b", "c"] { try server.folder.write(name, to: name) }
        let once = "retry: { attempts: 1 }"
        let job = try FileServerTests.ftp(
            server,
            """
            downloads:
              a: { url: "\(server.origin)/a", to: a, \(once) }
              b: { url: "\(server.origin)/b", to: b, needs: a, \(once) }
              c: { url: "\(server.origin)/c", to: c, needs: b, \(once) }
            uploads:
              d: { url: "\(server.origin)/d", text: d, needs: c, \(once) }
            """
        )
        let run = try job.run(environment: FileServerTests.environment)
        #expect(run.code == 0, "\(run.command.standardError)")
        for name in ["a", "b", "c"] { #expect(try job.folder.text(name) == name) }
        #expect(try server.folder.text("d") == "d")
        #expect(run.exchanges("b").first?["isReusedConnection"]?.bool == true)
    }

    @Test func `a file whose server names a negative size is not cut to its digits`() throws {
        let server = try FTPServer()
        try server.folder.write("more than five bytes", to: "odd")
        let job = try FileServerTests.ftp(
            server,
            """
            downloads: { a: { url: "\(server.origin)/odd", to: out, retry: { attempts: 1 } } }
            """,
            tls: "none"
        )
        let run = try job.run(environment: FileServerTests.environment)
        #expect(run.kind("a") == "protocolViolation")
        #expect(!job.folder.contains("out"))
    }

    @Test(arguments: [FTPServer.Security.explicit, .implicit])
    func `a file without a size whose TLS ends without notice may be cut`(
        _ security: FTPServer.Security
    ) throws {
        let server = try FTPServer(security)
        for name in ["mute", "bare"] {
            try server.folder.write(FileServerTests.content(300_000), to: name)
        }
        let digest = try FileServerTests.digest(of: FileServerTests.content(300_000))
        let once = "retry: { attempts: 1 }"
        let job = try FileServerTests.ftp(
            server,
            """
            downloads:
              mute: { url: "\(server.origin)/mute", to: mute, \(once) }
              bare: { url: "\(server.origin)/bare", to: bare, \(once) }
              sure: { url: "\(server.origin)/bare", to: sure, checksum: "sha256:\(digest)", \(once) }
            """
        )
        let run = try job.run(environment: FileServerTests.environment)
        #expect(run.kind("mute") == "truncated")
        #expect(run.kind("bare") == "truncated")
        #expect(!job.folder.contains("mute") && !job.folder.contains("bare"))
        // libcurl 8 itself calls such an end an error, before the checksum is known.
        let version = try #require(run.report["run"]?["engine"]?["libcurl"]?.string)
        let expected = version.hasPrefix("7.") ? "succeeded" : "failed"
        #expect(run.outcome("sure") == expected, "\(run.command.standardError)")
    }

    /// Runs a job through a relay that forwards only so many bytes of the client, and checks that
    /// the run ends in its time without a busy core.
    ///
    /// - Returns: The bytes that the client has sent.
    @discardableResult
    private static func run(
        forwarding count: Int?,
        to port: UInt16,
        _ job: (RecordingRelay) throws -> JobFolder
    ) throws -> Int {
        let cuts = try count.map { [1: try RecordingRelay.Cut.hold(after: $0, Gate())] } ?? [:]
        let relay = try RecordingRelay(to: port, cuts: cuts)
        let job = try job(relay)
        let command = try job.runCommand(
            ["--progress", "none"],
            environment: FileServerTests.environment
        )
        // A wait that is none would take the limit of the run, 8 s, on a core.
        let outcome = try command.limitedToCPUTime(ofSeconds: 4).run(within: .seconds(40))
        let run = try outcome.reported(in: job.folder)
        let kind = run.kind("a")
        #expect(count != nil || run.code == 0, "\(run.command.standardError)")
        #expect(run.code == 0 || run.code == 5, "\(count ?? 0): \(run.command.standardError)")
        #expect(kind == nil || kind == "timeout", "\(count ?? 0): \(run.command.standardError)")
        return relay.passages.first?.sent.count ?? 0
    }

    private static let limit = "timeoutIntervalForRequest: 1s"
    private static let once = "retry: { attempts: 1 }"

    @Test(
        arguments: [
            "ftp_login", "ftp_passive", "ftp_retrieve", "ftp_behind_data", "ftp_upload_unanswered",
            "ftps_handshake", "ftps_login", "ftps_file_handshake", "ftps_behind_data",
            "ftps_implicit_login", "ftps_implicit_file_handshake",
        ]
    )
    func `a server of FTP that falls silent ends its task in time`(name: String) throws {
        let peers = try HostilePeers(certificate: TestCertificates.shared().server)
        var hostile = HostileJob()
        hostile.limits = "timeoutIntervalForRequest: 1s, timeoutIntervalForResource: 4s"
        hostile.add(name, try #require(peers.ports[name]))
        // libcurl alone would wait for half a minute.
        let run = try withExtendedLifetime(peers) {
            try hostile.folder(deadline: "12s").run(environment: ["PASSWORD": "hunter2hunter2"])
        }
        #expect(run.kind(name) == "timeout", "\(run.command.standardError)")
    }

    /// It does not end by `connectTimeout`.
    @Test func `a handshake of FTPS that stands still ends by the limit of silence`() throws {
        let peers = try HostilePeers(certificate: TestCertificates.shared().server)
        var hostile = HostileJob()
        hostile.limits = "timeoutIntervalForRequest: 1s"
        let url = "ftp://127.0.0.1:\(try #require(peers.ports["ftps_handshake"]))/x"
        hostile.add("downloads", "a", "session: safe, url: \"\(url)\", to: a, \(Self.once)")
        let run = try withExtendedLifetime(peers) {
            try hostile.folder(deadline: "12s").run(environment: ["PASSWORD": "hunter2hunter2"])
        }
        let message = run.task("a")?["error"]?["message"]?.string ?? ""
        #expect(message.contains("`timeoutIntervalForRequest: 1s`"), "\(message)")
    }

    // libcurl 7.88.1 does a handshake without a return, and judges old waits before it reads.
    @Test func `a server whose handshake stands still makes no other server silent`() throws {
        let server = try SSHServer()
        let peers = try HostilePeers(
            before: server,
            certificate: TestCertificates.shared().server
        )
        var hostile = HostileJob()
        hostile.limits = "timeoutIntervalForRequest: 6s"
        for (id, session) in [("ftps_first", "safe"), ("ftp_second", "plain")] {
            let url = "ftp://127.0.0.1:\(try #require(peers.ports[id]))/x"
            hostile.add(
                "downloads",
                id,
                "session: \(session), url: \"\(url)\", to: \(id), \(Self.once)"
            )
        }
        let run = try withExtendedLifetime((server, peers)) {
            try hostile.folder(deadline: "1m").run(environment: ["PASSWORD": "hunter2hunter2"])
        }
        #expect(run.kind("ftps_first") == "timeout", "\(run.command.standardError)")
        #expect(run.outcome("ftp_second") == "succeeded", "\(run.command.standardError)")
    }

    @Test func `a server of SSH that falls silent ends its task in time`() throws {
        let server = try SSHServer()
        try server.folder.write(FileServerTests.content(1_000_000), to: "files/a")
        let key = server.folder.path("user")
        func job(_ relay: RecordingRelay) throws -> JobFolder {
            let origin = "sftp://127.0.0.1:\(relay.port)"
            return try JobFolder(
                """
                version: 1
                sessions:
                  s:
                    \(Self.limit)
                    timeoutIntervalForResource: 4s
                    ssh: { hostKey: "\(server.fingerprint)" }
                    credentials:
                      - { method: publicKey, origin: "\(origin)", user: \(server.user), key: \(key) }
                downloads:
                  a: { url: "\(origin)\(server.folder.path("files/a"))", to: out, \(Self.once) }
                """
            )
        }
        let total = try Self.run(forwarding: nil, to: server.port, job)
        // In the handshake, in the login, in the file, and before each of the last replies.
        let counts = [1, 30, 1500, 2500, total / 2] + (1...8).map { total - $0 * 48 }
        for count in counts { try Self.run(forwarding: count, to: server.port, job) }
    }
}
