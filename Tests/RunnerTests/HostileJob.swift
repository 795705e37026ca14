import TestSupport

/// A job with a task for each of `HostilePeers`.
struct HostileJob {
    /// The tasks, by their section.
    private var tasks: [String: [String]] = [:]
    /// The sessions of one task each.
    private var sessions: [String] = []
    private var credentials: [String] = []
    private(set) var ids: [String] = []
    /// Keys of all sessions with hostile peers.
    var limits = "timeoutIntervalForRequest: 60s"

    mutating func add(_ section: String, _ id: String, _ task: String) {
        ids.append(id)
        tasks[section, default: []].append("\(id): { \(task) }")
    }

    /// Adds the task of a peer, whose name begins with its protocol.
    mutating func add(_ name: String, _ port: UInt16) {
        let place = "127.0.0.1:\(port)"
        func download(_ scheme: String, in session: String) {
            let task = "session: \(session), url: \"\(scheme)://\(place)/x\", to: \(name)"
            add("downloads", name, task)
        }
        func upload(_ scheme: String, in session: String) {
            let task = "session: \(session), url: \"\(scheme)://\(place)/x\", file: large"
            add("uploads", name, task)
        }
        switch name.prefix(while: { $0 != "_" }) {
        case "h2", "tls", "secure": download("https", in: "web")
        case "upload": upload("http", in: "web")
        case "ftp" where name.contains("upload"): upload("ftp", in: "plain")
        case "ftp": download("ftp", in: "plain")
        case "ftps": download(name.contains("implicit") ? "ftps" : "ftp", in: "safe")
        case "ssh":
            let login = "user: ada, password: \"${secret.password}\""
            credentials.append("{ method: basic, origin: \"sftp://\(place)\", \(login) }")
            download("sftp", in: "plain")
        case "ws", "wss":
            let url = "\(name.prefix { $0 != "_" })://\(place)/"
            let steps = "[{ receive: { for: 10m } }]"
            add("webSockets", name, "session: web, url: \"\(url)\", steps: \(steps)")
        case "stream": addStream(name, port)
        case "proxy":
            sessions.append("\(name): { proxy: { https: \"http://\(place)\" } }")
            add("data", name, "session: \(name), url: \"https://127.0.0.1:9/\"")
        case "socks":
            sessions.append("\(name): { proxy: { socks: \"socks5://\(place)\" } }")
            add("data", name, "session: \(name), url: \"http://127.0.0.1:9/\"")
        default: download("http", in: "web")
        }
    }

    private mutating func addStream(_ name: String, _ port: UInt16) {
        let first = name == "stream_begun" ? "startSecureConnection: true" : "write: { line: a }"
        let steps = "[{ \(first) }, { read: { until: end } }]"
        let place = "host: 127.0.0.1, port: \(port), secure: \(name == "stream_secure")"
        add("streams", name, "session: web, \(place), steps: \(steps)")
    }

    /// Adds tasks whose programs say nothing, too much, or do not end when they are told to.
    mutating func addPrograms() {
        let programs = [
            "quiet": "[sleep, \"600\"]",
            "endless": "[\"yes\"]",
            // It ends with the folder of the job at the latest.
            "deaf": "[sh, -c, \"trap true TERM; while test -e job.yaml; do sleep 1; done\"]",
        ]
        for (name, command) in programs.sorted(by: { $0.key < $1.key }) {
            let id = "program_\(name)"
            sessions.append(
                "\(id): { protocolClasses: [{ scheme: \(name), command: \(command) }] }"
            )
            add("downloads", id, "session: \(id), url: \"\(name)://a/b\", to: \(id)")
        }
    }

    /// Writes the job.
    func folder(deadline: String) throws -> JobFolder {
        let tls = "tls: { caFile: \(try TestCertificates.shared().authorityFile) }"
        let sections = tasks.sorted { $0.key < $1.key }.map { section, tasks in
            ([section + ":"] + tasks.map { "  " + $0 }).joined(separator: "\n")
        }
        let job = try JobFolder(
            """
            version: 1
            secrets: { password: { env: PASSWORD } }
            schedule: { maxConcurrentTasks: 200, deadline: \(deadline) }
            \(sections.joined(separator: "\n"))
            sessions:
              own: {}
              web: { \(limits), httpVersion: "2", \(tls) }
              safe: { \(limits), \(tls), ftp: { tls: required } }
              plain:
                { \(limits), ftp: { tls: none }, ssh: { knownHosts: known_hosts },
                  credentials: [\(credentials.joined(separator: ", "))] }
            \(sessions.map { "  " + $0 }.joined(separator: "\n"))
            """
        )
        try job.folder.write("", to: "known_hosts")
        // More than the buffers of a connection take.
        _ = try job.folder.write([UInt8](repeating: 97, count: 16 << 20), to: "large")
        return job
    }
}
