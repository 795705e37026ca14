import TestSupport
import Testing

/// Each kind of task at a peer with each fault, by the built executable.
@Suite struct FaultMatrixTests {
    /// The kind of failure that each fault of a peer leads to.
    ///
    /// The faults:
    /// - `silent`: it says nothing at all;
    /// - `stall`: it says nothing more in the middle of its answer;
    /// - `drip`: it sends one byte a second;
    /// - `reset`: the connection is reset in the middle. A program has none, and is killed before
    ///   its response;
    /// - `cut`: the connection is closed in the middle, without an end of the answer or of TLS;
    /// - `endless`: its answer never ends. A step of a stream has a largest size.
    ///
    /// libcurl 8 may see the end of an HTTP/2 connection before it hands the head on.
    ///
    /// A regular file has all of its bytes at once. `silent` is a named pipe, `endless` a device.
    private static let kinds = """
                     silent   stall    drip     reset    cut        endless
        http         timeout  timeout  timeout  reset    truncated  timeout
        https        timeout  timeout  timeout  reset    truncated  timeout
        h2           timeout  timeout  timeout  reset    truncated/reset  timeout
        ftp          timeout  timeout  timeout  reset    truncated  timeout
        ftps         timeout  timeout  timeout  reset    truncated  timeout
        sftp         timeout  timeout  timeout  reset    reset      timeout
        stream       timeout  timeout  timeout  reset    truncated  tooLarge
        secureStream timeout  timeout  timeout  reset    truncated  tooLarge
        ws           timeout  timeout  timeout  reset    reset      timeout
        wss          timeout  timeout  timeout  reset    reset      timeout
        program      timeout  timeout  timeout  reset    truncated  timeout
        file         localIO  -        -        -        -          localIO
        """

    /// The longest silence and the longest life of a task, seconds.
    private static let limits = (silence: 8, life: 10)

    /// The rows of `kinds`: the kind of a task, and the kind of its failure by fault.
    private static var rows: [(task: String, kinds: [(fault: String, kind: String)])] {
        let lines = kinds.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        return lines.dropFirst().map { line in
            (line[0], Array(zip(lines[0], line.dropFirst())).filter { $1 != "-" })
        }
    }

    @Test func `every fault of a peer ends every kind of task as documented, and in time`() throws {
        let server = try SSHServer()
        let big = server.folder.path("files/big")
        _ = try Command("truncate", ["-s", "1G", big]).run()
        let peers = try HostilePeers(
            before: server,
            certificate: TestCertificates.shared().server
        )
        var job = FaultJob(server: server, file: big)
        for row in Self.rows {
            for (fault, _) in row.kinds { job.add(row.task, fault, peers.ports) }
        }
        let folder = try job.folder(silence: Self.limits.silence, life: Self.limits.life)
        let command = try folder.runCommand(["--progress", "none"])
        let run = try withExtendedLifetime(peers) {
            // All cells together take a few seconds on a slow core. One that does not wait, but
            // asks again and again, takes the eight seconds of its silence at least.
            try command.limitedToCPUTime(ofSeconds: 7).run().reported(in: folder.folder)
        }
        for row in Self.rows {
            for (fault, kind) in row.kinds {
                let id = "\(row.task)_\(fault)"
                let kinds = kind.split(separator: "/").map { Optional(String($0)) }
                #expect(kinds.contains(run.kind(id)), "\(id): \(run.message(id))")
                guard kind == "timeout" else { continue }
                let seconds = try #require(run.seconds(id), "\(id)")
                let isSilent = fault == "silent" || fault == "stall"
                let limit = Double(isSilent ? Self.limits.silence : Self.limits.life)
                #expect(seconds >= limit - 0.01, "\(id): \(run.message(id))")
            }
        }
    }
}

extension RunOutcome {
    fileprivate func message(_ id: String) -> String {
        task(id)?["error"]?["message"]?.string ?? "no failure"
    }

    /// How long a task took.
    fileprivate func seconds(_ id: String) -> Double? {
        let interval = task(id)?["metrics"]?["taskInterval"]
        return interval?["durationUs"]?.integer.map { Double($0) / 1e6 }
    }
}

/// A job with a task for each peer of `faulty-peers.py`, and for programs and files with faults.
private struct FaultJob {
    let server: SSHServer
    /// The path of a large file at the server.
    let file: String
    private var tasks: [String: [String]] = [:]
    private var credentials: [String] = []

    init(server: SSHServer, file: String) {
        (self.server, self.file) = (server, file)
    }

    mutating func add(_ kind: String, _ fault: String, _ ports: [String: UInt16]) {
        let id = "\(kind)_\(fault)"
        let place = "127.0.0.1:\(ports[id] ?? 0)"
        switch kind {
        case "ws", "wss":
            let steps = "[{ receive: { until: closed } }]"
            add("webSockets", id, "session: web, url: \"\(kind)://\(place)/\", steps: \(steps)")
        case "stream", "secureStream":
            let read = "read: { until: end, maximumSize: 16KiB }"
            let host = "host: 127.0.0.1, port: \(ports[id] ?? 0), secure: \(kind != "stream")"
            let steps = "[{ write: { line: a } }, { \(read) }]"
            add("streams", id, "session: web, \(host), steps: \(steps)")
        case "h2": download(id, "https://\(place)/", in: "http2")
        case "ftp": download(id, "ftp://\(place)/x", in: "plain")
        case "ftps": download(id, "ftps://\(place)/x", in: "safe")
        case "sftp":
            let login = "user: \(server.user), key: \(server.folder.path("user"))"
            credentials.append("{ method: publicKey, origin: \"sftp://\(place)\", \(login) }")
            download(id, "sftp://\(place)\(file)", in: "plain")
        case "program": download(id, "faulty://\(fault)/", in: "web")
        case "file":
            download(id, fault == "endless" ? "file:///dev/zero" : "file://PIPE", in: "web")
        default: download(id, "\(kind)://\(place)/", in: "web")
        }
    }

    private mutating func download(_ id: String, _ url: String, in session: String) {
        add("downloads", id, "session: \(session), url: \"\(url)\", to: out/\(id)")
    }

    private mutating func add(_ section: String, _ id: String, _ task: String) {
        tasks[section, default: []].append("  \(id): { \(task) }")
    }

    /// What a program does, by the host of its URL.
    private static let program = """
        import json, os, sys, time
        fault = json.loads(sys.stdin.buffer.readline())["url"].split("/")[2]
        def line(**members):
            os.write(1, json.dumps(members).encode() + b"\\n")
        def data(piece):
            line(message="data", length=len(piece))
            os.write(1, piece)
        if fault == "silent":
            time.sleep(600)
        if fault == "reset":
            os.kill(os.getpid(), 9)
        length = 1 << 30
        head = {"version": 1, "statusCode": 200, "headers": [], "expectedContentLength": length}
        line(message="response", **head)
        data(b"hello")
        if fault == "stall":
            time.sleep(600)
        while fault != "cut":
            data(b"a" if fault == "drip" else b"a" * 1000)
            time.sleep(1 if fault == "drip" else 0.01)
        """

    /// Writes the job, for which silence and a life have so many seconds.
    func folder(silence: Int, life: Int) throws -> JobFolder {
        let folder = try JobFolder("")
        let path = folder.folder.path("pipe")
        _ = try Command("mkfifo", [path]).run()
        try folder.folder.write(Self.program, to: "program.py")
        let limits =
            "timeoutIntervalForRequest: \(silence)s, timeoutIntervalForResource: \(life)s"
        let tls = "tls: { caFile: \(try TestCertificates.shared().authorityFile) }"
        let sections = tasks.sorted { $0.key < $1.key }.map { section, tasks in
            ([section + ":"] + tasks).joined(separator: "\n").replacing("PIPE", with: path)
        }
        try folder.folder.write(
            """
            version: 1
            schedule: { maxConcurrentTasks: 200 }
            defaults: { retry: { attempts: 1 } }
            \(sections.joined(separator: "\n"))
            sessions:
              web:
                { \(limits), httpVersion: "1.1", \(tls),
                  allowsReadAccessTo: [/dev, \(folder.folder.path)],
                  protocolClasses: [{ scheme: faulty, command: [python3, -S, program.py] }] }
              http2: { \(limits), httpVersion: "2", \(tls) }
              safe: { \(limits), \(tls), ftp: { tls: required } }
              plain:
                { \(limits), ftp: { tls: none }, ssh: { hostKey: "\(server.fingerprint)" },
                  credentials: [\(credentials.joined(separator: ", "))] }
            """,
            to: "job.yaml"
        )
        return folder
    }
}
