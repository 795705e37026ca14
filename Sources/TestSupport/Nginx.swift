import SystemKit

/// Debian's nginx on free loopback ports with its own configuration; stops when released.
///
/// With one worker, it finishes all work for a response before it answers the next request. This
/// process binds the ports and passes them on, so that no other process can take them.
package final class Nginx: Sendable {
    /// Served at `/`, and at `/slow/` with 64 KiB/s after the first 16 KiB.
    package let root: TemporaryFolder
    /// The port without TLS on 127.0.0.1.
    package let port: UInt16
    /// nil without a certificate.
    package let securePort: UInt16?
    private let state: TemporaryFolder
    private let process: Lock<RunningCommand>

    /// A request in the access log.
    package struct LoggedRequest: Sendable, Hashable {
        /// The method as sent.
        package var method: String
        /// The target as sent.
        package var target: String
        /// The status code of the response.
        package var status: Int
        /// The value of `Idempotency-Key`.
        package var idempotencyKey: String
        /// nginx's number of the connection.
        package var connection: Int
        /// Only for requests to `/orders`.
        package var body: [UInt8]
        /// The bytes of its line, fields and body, after TLS decryption.
        package var byteCount: Int
        /// The bytes of the response's head and body, before TLS encryption.
        package var responseByteCount: Int
    }

    /// Starts nginx and returns when it answers.
    ///
    /// Requests below `/orders` get 201 and `{"ok":true}` after their whole body. With `hasHTTP2`,
    /// the TLS port offers HTTP/2. `locations` is added to the server block, for example for
    /// redirects. Throws `MissingTool` when nginx does not start.
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

    /// Starts nginx under a shell that stops it at the end of its standard input, which comes when
    /// this process ends in any way.
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
        // The descriptors of nginx's listening sockets, as after an upgrade of its binary.
        let sockets = [plain.socket] + (secure.map { [$0.socket] } ?? [])
        command.inherited = zip(sockets, 3...).map { ($0, $1) }
        command.environment["NGINX"] = command.inherited.map { "\($0.number);" }.joined()
        return (plain.port, secure?.port, Lock(try command.start()))
    }

    /// Without a slash at its end.
    package var origin: String { "http://127.0.0.1:\(port)" }

    /// The origin over TLS; the certificate of `TestCertificates.server` is valid for it.
    package var secureOrigin: String? {
        securePort.map { "https://localhost:\($0)" }
    }

    /// All answered requests so far, in the order of the responses.
    package func requests() throws -> [LoggedRequest] {
        // A response means that nginx has logged all earlier responses.
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

    /// Sends a request that is not logged and waits for the response.
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
