import TestSupport
import Testing

@Suite struct DoctorTests {
    /// A folder that is a home, a working folder and a state folder.
    private let job: JobFolder

    init() throws { job = try JobFolder("version: 1") }

    private func doctor(
        _ arguments: [String] = [],
        environment: [String: String?] = [:]
    ) throws -> (outcome: Command.Outcome, report: JSONValue) {
        let outcome = try job.runner(
            ["doctor", "--format", "json"] + arguments,
            environment: environment
        )
        return (outcome, try JSONValue(outcome.standardOutput))
    }

    private func finding(_ name: String, in report: JSONValue) -> JSONValue? {
        let examinations = report["examinations"]?.elements ?? []
        return examinations.flatMap { $0["findings"]?.elements ?? [] }
            .first { $0["name"]?.string == name }
    }

    @Test func `every finding has a status, a value and a meaning`() throws {
        let (outcome, report) = try doctor()
        let names = report["examinations"]?.elements.map { $0["name"]?.string }
        #expect(names?.contains("libraries") == true)
        #expect(names?.contains("folders") == true)
        let findings = report["examinations"]?.elements.flatMap { $0["findings"]?.elements ?? [] }
        var faults = 0
        for finding in findings ?? [] {
            let status = try #require(finding["status"]?.string)
            #expect(["ok", "limited", "absent", "fault"].contains(status))
            #expect(finding["value"]?.string?.isEmpty == false)
            #expect(finding["meaning"]?.string?.isEmpty == false)
            if status == "fault" { faults += 1 }
        }
        #expect(report["faults"]?.integer == Int64(faults))
        #expect(outcome.status == .exit(faults == 0 ? 0 : 4))
        #expect(outcome.standardError.isEmpty)
    }

    @Test func `the programs that check signatures have their versions, or their packages`() throws
    {
        let (_, report) = try doctor()
        #expect(finding("minisign", in: report)?["value"]?.string?.hasPrefix("minisign ") == true)
        #expect(finding("gpgv", in: report)?["value"]?.string?.hasPrefix("gpgv ") == true)
        let (outcome, without) = try doctor(environment: ["PATH": job.folder.path])
        #expect(outcome.status == .exit(0), "\(outcome)")
        for name in ["minisign", "gpgv"] {
            let finding = finding(name, in: without)
            #expect(finding?["status"]?.string == "absent")
            #expect(finding?["meaning"]?.string?.hasSuffix("install the package \(name)") == true)
        }
    }

    @Test func `the cache folder is reported as it is`() throws {
        let (_, report) = try doctor()
        let meaning = try #require(finding("cache folder", in: report)?["meaning"]?.string)
        #expect(meaning.hasPrefix("stores responses of sessions with a `urlCache`"))
    }

    @Test func `text and JSON have the same content`() throws {
        let (_, report) = try doctor()
        let text = try job.runner(["doctor"]).standardOutput
        let version = try #require(finding("libcurl", in: report)?["value"]?.string)
        #expect(text.contains("libcurl: \(version)"))
        #expect(text.hasPrefix("runner "))
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
        for name in ["TLS", "HTTP/2", "libyaml", "state folder", "clock", "open files"] {
            let status = try #require(finding(name, in: report)?["status"]?.string)
            #expect(lines.contains { $0.hasPrefix(status) && $0.contains(" \(name): ") }, "\(name)")
        }
    }

    @Test func `doctor and run report the same libcurl`() throws {
        let server = try ScriptedServer(["/": [.ok("x")]])
        let other = try JobFolder("version: 1\ndata: { a: { url: \(server.url("/")) } }")
        let engine = try other.run().report["run"]?["engine"]
        let (_, report) = try doctor()
        let version = try #require(engine?["libcurl"]?.string)
        #expect(finding("libcurl", in: report)?["value"]?.string?.hasPrefix(version) == true)
        #expect(finding("TLS", in: report)?["value"] == engine?["tls"])
    }

    @Test func `nothing is left behind, and no folder is made`() throws {
        let before = try job.folder.list().sorted()
        _ = try doctor(["--state-dir", "state/deep"])
        #expect(try job.folder.list().sorted() == before)
    }

    @Test func `a missing state folder is made later`() throws {
        let (_, report) = try doctor(["--state-dir", job.folder.path("state")])
        let state = try #require(finding("state folder", in: report))
        #expect(state["status"]?.string == "ok")
        #expect(state["value"]?.string?.contains("does not exist yet") == true)
    }

    @Test(arguments: [(0o700, "ok"), (0o750, "limited"), (0o777, "limited")])
    func `a state folder is for its user alone`(mode: UInt32, status: String) throws {
        try job.folder.makeFolder("state")
        // For any umask.
        let octal = String(mode, radix: 8)
        #expect(
            try Command("chmod", [octal, job.folder.path("state")]).run().status == .exit(0)
        )
        let (_, report) = try doctor(environment: ["RUNNER_STATE_DIR": "state"])
        let state = try #require(finding("state folder", in: report))
        #expect(state["status"]?.string == status)
        #expect(state["value"]?.string?.contains("mode 0\(octal)") == true)
    }

    @Test func `an impossible state folder is a fault`() throws {
        let (outcome, report) = try doctor(["--state-dir", "job.yaml/state"])
        #expect(outcome.status == .exit(4))
        #expect(finding("state folder", in: report)?["status"]?.string == "fault")
    }

    @Test func `without libcurl no transfer works`() throws {
        try job.folder.makeFolder("lib")
        try job.folder.write("no library", to: "lib/libcurl.so.4")
        let (outcome, report) = try doctor(
            environment: ["LD_LIBRARY_PATH": job.folder.path("lib")]
        )
        #expect(outcome.status == .exit(4))
        #expect(finding("libcurl", in: report)?["status"]?.string == "fault")
        #expect(finding("libyaml", in: report)?["status"]?.string == "ok")
    }

    @Test func `too few open files are a fault`() throws {
        let command = try job.command(["doctor", "--format", "json"]).limitedToOpenFiles(80)
        let outcome = try command.run()
        let report = try JSONValue(outcome.standardOutput)
        #expect(finding("open files", in: report)?["status"]?.string == "fault")
        #expect(outcome.status == .exit(4))
    }

    @Test func `roots of the environment are examined instead of the system's`() throws {
        let authority = try TestCertificates.shared().authorityFile
        let (_, report) = try doctor(environment: ["SSL_CERT_FILE": authority])
        let roots = try #require(finding("file of roots", in: report))
        #expect(roots["status"]?.string == "ok")
        #expect(roots["value"]?.string == "\(authority) (`SSL_CERT_FILE`): 1 certificates")
        let (outcome, lost) = try doctor(environment: ["CURL_CA_BUNDLE": "/nonexistent"])
        #expect(finding("file of roots", in: lost)?["status"]?.string == "fault")
        #expect(outcome.status == .exit(4))
    }

    @Test func `proxies of the environment are reported without their passwords`() throws {
        let (outcome, report) = try doctor(environment: [
            "http_proxy": nil, "HTTP_PROXY": "http://ignored:3128", "ALL_PROXY": nil,
            "all_proxy": nil, "https_proxy": "http://me:s3same@proxy.example:3128",
        ])
        let secure = try #require(finding("https", in: report))
        #expect(secure["status"]?.string == "ok")
        let value = "http://proxy.example:3128, with a user and a password (https_proxy)"
        #expect(secure["value"]?.string == value)
        #expect(finding("http", in: report)?["value"]?.string == "none")
        #expect(finding("HTTP_PROXY", in: report)?["status"]?.string == "limited")
        #expect(!outcome.standardOutput.contains("s3same"))
    }

    @Test func `an invalid proxy is a fault`() throws {
        let (outcome, report) = try doctor(environment: ["https_proxy": "gopher://me:s3same@p"])
        #expect(outcome.status == .exit(4))
        let found = try #require(finding("environment", in: report))
        #expect(found["status"]?.string == "fault")
        #expect(found["value"]?.string?.contains("gopher") == true)
        #expect(!outcome.standardOutput.contains("s3same"))
    }

    @Test func `names of folders cannot drive a terminal`() throws {
        let outcome = try job.runner(["doctor", "--state-dir", "a\u{1B}[2Jb"])
        #expect(!outcome.standardOutput.contains("\u{1B}"))
    }
}
