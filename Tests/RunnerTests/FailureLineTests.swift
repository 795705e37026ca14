import TestSupport
import Testing

/// Provoked failures, each a job file in `FailureLines`, and what `--progress failures` says of it.
///
/// A job names its peers: `$SERVER`, `$REFUSED`. A first line `# script: …` runs in namespaces of
/// its own, in which `$runner` stands for the run. `RUNNER_UPDATE_FIXTURES=1` rewrites the expected
/// texts; review the difference before you keep it.
@Suite struct FailureLineTests {
    @Test(arguments: Fixture.all(in: "FailureLines"))
    func `a provoked failure says what happened, where, and what to do`(
        failure: Fixture
    ) throws {
        let peers = try Peers(for: String(decoding: failure.input, as: UTF8.self))
        let said = try withExtendedLifetime(peers) { try peers.said() }
        if Fixture.isUpdating { return failure.update(said) }
        #expect(said == failure.expected)
    }

    @Test func `there are at least 60 provoked failures`() {
        #expect(Fixture.all(in: "FailureLines").count >= 60)
    }
}

/// The servers that a job names, and the job with their addresses.
private final class Peers {
    private let names: [(name: String, value: String)]
    private let owners: [AnyObject]
    private let job: JobFolder
    private let script: String?
    private let isHeld: Bool

    init(for text: String) throws {
        var names: [(name: String, value: String)] = []
        var owners: [AnyObject] = []
        func add(_ name: String, _ value: String, _ owner: AnyObject? = nil) {
            names.append((name, value))
            if let owner { owners.append(owner) }
        }
        let certificates = try TestCertificates.shared()
        add("$CA", certificates.authorityFile)
        for (name, identity) in [
            ("$TLS", certificates.server), ("$EXPIRED", certificates.expired),
            ("$OTHERHOST", certificates.wrongHost), ("$SELFSIGNED", certificates.selfSigned),
        ] where text.contains(name) {
            let nginx = try Nginx(certificate: identity)
            add(name, try #require(nginx.secureOrigin).withoutPrefix("https://"), nginx)
        }
        for (name, stage, protocolName) in [
            ("$SHUTOUT", AbruptServer.Stage.handshake, nil),
            ("$ALPNSHUT", .handshake, "http/1.1"), ("$UNCHOSEN", .request, nil),
        ] where text.contains(name) {
            let server = try AbruptServer(
                at: stage,
                certificates: certificates,
                protocolName: protocolName
            )
            add(name, server.origin.withoutPrefix("https://"), server)
        }
        if text.contains("$MUTE") {
            let server = try ScriptedServer { _ in Reply([.waitForPeerToLeave]) }
            add("$MUTE", server.origin.withoutPrefix("http://"), server)
        }
        if text.contains("$PLAIN") {
            let nginx = try Nginx()
            add("$PLAIN", nginx.origin.withoutPrefix("http://"), nginx)
        }
        if text.contains("$SERVER") {
            let server = try Self.server()
            add("$SERVER", server.origin.withoutPrefix("http://"), server)
        }
        if text.contains("$REFUSED") {
            add("$REFUSED", "127.0.0.1:\(try ClosedPort().port)")
        }
        if text.contains("$SILENT") {
            let port = try UnansweredPort()
            add("$SILENT", port.origin.withoutPrefix("http://"), port)
        }
        var lines = text
        for (name, value) in names { lines = lines.replacing(name, with: value) }
        job = try JobFolder(lines)
        (self.names, self.owners) = (names, owners)
        script = text.split(separator: "\n").first.flatMap {
            $0.hasPrefix("# script: ") ? String($0.dropFirst(10)) : nil
        }
        isHeld = text.hasPrefix("# while it runs")
        try job.folder.makeFolder("folder")
        try job.folder.link("loop.txt", to: "loop.txt")
        _ = try job.folder.write("here", to: "present.txt", mode: 0o600)
    }

    /// A server with a fault at each path.
    private static func server() throws -> ScriptedServer {
        let body = Array(String(repeating: "x", count: 1000).utf8)
        return try ScriptedServer { request in
            let path = request.path.split(separator: "/").last ?? ""
            switch path {
            case "ok": return .ok("ok")
            case "401": return .status(401, ["WWW-Authenticate: Basic realm=\"orders\""])
            case "key": return .status(401)
            case "bearer":
                return .status(
                    401,
                    [
                        "WWW-Authenticate: Bearer error=\"invalid_token\", "
                            + "error_description=\"The token expired\""
                    ]
                )
            case "lost": return .status(302)
            case "forbidden.invalid:443":
                return .status(
                    403,
                    ["Content-Type: text/plain"],
                    text: "Blocked by policy 17"
                )
            case "429": return .status(429, ["Retry-After: 3600"])
            case "quota":
                return .status(
                    403,
                    ["Content-Type: text/plain"],
                    text: "the quota of this key is used up"
                )
            case "cut": return .cut(body, after: 10, then: [.close])
            case "reset": return Reply([.reset])
            case "closed": return Reply([.close])
            case "garbage": return .raw("220 mail.example.com ESMTP\r\n", then: [.close])
            case "silence": return Reply([.waitForPeerToLeave])
            case "drip": return .cut(body, after: 10, then: [.waitForPeerToLeave])
            case "loop": return .redirect(to: "/loop")
            case "away": return .redirect(to: "http://files.example.com/a?key=1")
            case "broken-json": return .ok("{no", ["Content-Type: application/json"])
            case "elsewhere": return .redirect(to: "ftp://files.example.com/a")
            case "html": return .ok("<p>sign in", ["Content-Type: text/html"])
            case "large": return .ok(body)
            case "json": return .ok("{\"state\":\"broken\"}", ["Content-Type: application/json"])
            default:
                return Int(path).map { .status($0) } ?? .status(404)
            }
        }
    }

    /// What the run says, without what differs from run to run.
    func said() throws -> String {
        let first =
            isHeld ? try job.command(["run", "job.yaml", "--report", "first.json"]).start() : nil
        if isHeld {
            try job.folder.wait(for: "the lock") {
                job.folder.contains(".local/state/runner/locks")
            }
        }
        var command = try job.runCommand(["--progress", "failures"])
        if let script {
            command.arguments =
                ["--user", "--map-root-user", "--mount", "--net", "sh", "-c"]
                + ["ip link set lo up; runner=\"$*\"; \(script)", "sh", command.executable]
                + command.arguments
            command.executable = "unshare"
        }
        let text = try command.run().standardError
        if let first {
            first.signal(9)
            _ = try first.finish()
        }
        return shown(text)
    }

    private func shown(_ text: String) -> String {
        var text = text
        for (name, value) in names where value.count > 4 {
            text = text.replacing(value, with: name)
        }
        text = text.replacing(job.folder.path, with: "$FOLDER")
        text = text.replacing(#/(?m)^[0-9]{2}:[0-9]{2}:[0-9]{2} /#, with: "02:00:00 ")
        text = text.replacing(#/[0-9]+-[0-9]{2}-[0-9]{2}T?[0-9:.]*Z?/#, with: "DATE")
        text = text.replacing(#/process [0-9]+/#, with: "process 1234")
        text = text.replacing(#/(attempt [0-9]+, |received in |sent in )[0-9.]+ m?s/#) {
            "\($0.1)5 ms"
        }
        return text
    }
}

extension String {
    fileprivate func withoutPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}
