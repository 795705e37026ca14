import SystemKit

/// Debian's nginx on free loopback ports with a configuration of its own; gone when nobody holds
/// it.
///
/// One worker, so that everything that it does for one response is done before it answers the next
/// request. The ports are bound here and handed over, so that nobody else can take them in between.
package final class Nginx: Sendable {
    /// Served at `/`; slowly, at 64 KiB/s after the first 16 KiB, at `/slow/`.
    package let root: TemporaryFolder
    package let port: UInt16
    /// nil when it was started without a certificate.
    package let securePort: UInt16?
    private let state: TemporaryFolder
    private let process: Lock<RunningCommand>

    /// A request as the access log has it.
    package struct LoggedRequest: Sendable, Hashable {
        package var method: String
        /// The target as sent.
        package var target: String
        package var status: Int
        package var idempotencyKey: String
        /// The number that nginx gave the connection.
        package var connection: Int
        /// Only of what was sent to `/orders`.
        package var body: [UInt8]
        /// The bytes of its line, its fields and its body, as they came out of TLS.
        package var byteCount: Int
        /// The bytes of the answer, head and body, as they went into TLS.
        package var responseByteCount: Int
    }

    /// Starts it and returns when it answers.
    ///
    /// A request below `/orders` is answered with 201 and `{"ok":true}` once its whole body is
    /// read. With `hasHTTP2` its port with TLS speaks HTTP/2 to who offers it. `locations` is added
    /// to the server block, for redirects and the like. Throws `MissingTool` when nginx does not
    /// start.
    package init(
        certificate: TestCertificates.Identity? = nil,
        hasHTTP2: Bool = false,
        locations: String = ""
    ) throws {
        root = try TemporaryFolder()
        state = try TemporaryFolder()
        (port, securePort, process) = try Self.start(
            root: root,
            state: state,
            certificate: certificate,
            hasHTTP2: hasHTTP2,
            locations: locations
        )
        try awaitAnswer()
    }

    deinit {
        _ = process.withLock { try? $0.finish() }
    }

    /// Starts it under a shell that ends it when this process is gone, however that came about:
    /// then the shell's standard input ends.
    private static func start(
        root: TemporaryFolder,
        state: TemporaryFolder,
        certificate: TestCertificates.Identity?,
        hasHTTP2: Bool,
        locations: String
    ) throws -> (UInt16, UInt16?, Lock<RunningCommand>) {
        let plain = try LoopbackSocket.listening()
        let secure = try certificate.map { _ in try LoopbackSocket.listening() }
        let configuration = NginxConfiguration(
            root: root.path,
            state: state.path,
            port: plain.port,
            secure: secure.flatMap { secure in certificate.map { (secure.port, $0) } },
            hasHTTP2: hasHTTP2,
            locations: locations
        )
        let file = try state.write(configuration.text, to: "nginx.conf")
        let script = """
            PATH=$PATH:/usr/sbin
            nginx "$@" &
            exec 3<&- 4<&-
            read -r _
            kill "$!" && wait "$!"
            """
        let options = ["-e", state.path("error.log"), "-p", state.path, "-c", file]
        var command = Command("sh", ["-c", script, "sh"] + options)
        // The descriptors that nginx finds its listening sockets at, as after an upgrade of its
        // binary.
        let sockets = [plain.socket] + (secure.map { [$0.socket] } ?? [])
        command.inherited = zip(sockets, 3...).map { ($0, $1) }
        command.environment["NGINX"] = command.inherited.map { "\($0.number);" }.joined()
        return (plain.port, secure?.port, Lock(try command.start()))
    }

    /// Without a slash at its end.
    package var origin: String { "http://127.0.0.1:\(port)" }

    /// The origin over TLS; the certificate of `TestCertificates.server` is good for it.
    package var secureOrigin: String? {
        securePort.map { "https://localhost:\($0)" }
    }

    /// Every request that was answered so far, in the order of the answers.
    package func requests() throws -> [LoggedRequest] {
        // An answer means that the lines of all earlier answers are written.
        try awaitAnswer()
        return try state.text("access.log").split(separator: "\n").map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(
                String.init
            )
            guard fields.count == 8, let status = Int(fields[2]), let connection = Int(fields[4]),
                let byteCount = Int(fields[6]), let responseByteCount = Int(fields[7])
            else { throw GuardTimeout("a whole line of the access log, not \(line)") }
            return LoggedRequest(
                method: fields[0],
                target: fields[1],
                status: status,
                idempotencyKey: fields[3],
                connection: connection,
                body: fields[5].isEmpty
                    ? [] : try state.read("bodies/\(fields[5].split(separator: "/").last ?? "")"),
                byteCount: byteCount,
                responseByteCount: responseByteCount
            )
        }
    }

    /// Asks for something that is not logged and waits for the answer.
    private func awaitAnswer() throws {
        guard (try? isAnswering()) == true else {
            let reason = (try? state.text("error.log")) ?? ""
            let errors = process.withLock { try? $0.finish().standardError } ?? ""
            throw MissingTool("nginx (package nginx-light)", reason + errors)
        }
    }

    private func isAnswering() throws -> Bool {
        let socket = try LoopbackSocket.connecting(to: port, isBlocking: true)
        try socket.write(Array("GET /.alive HTTP/1.0\r\n\r\n".utf8))
        guard Readiness.wait(for: [.readable(socket)], until: Deadline()) != nil else {
            return false
        }
        return socket.read()?.isEmpty == false
    }
}
