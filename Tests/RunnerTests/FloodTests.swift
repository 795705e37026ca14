import TestSupport
import Testing
import TransferModel

/// Servers that send without end what is no response, by the built executable.
@Suite struct FloodTests {
    /// A server by the URL of its task, and the rest of the task.
    private struct Hostile {
        var server: Any
        var kind: String
        var task: String
        /// The origin of its credential.
        var origin = "sftp://127.0.0.1"
    }

    enum Flood: String, CaseIterable {
        case goAways
        case emptyData
        case resets
        case linesOfSSH
        case pingsOfWebSocket
        case bytesOfStream
        case brotli
        case chunksOfAByte
        case dataOfAByte
        case replyOfFTP

        /// Whether it is a response as any other: only the time ends it.
        var isBody: Bool { self == .chunksOfAByte || self == .dataOfAByte }
    }

    private static func lines(_ line: String) -> [UInt8] {
        Array(repeatElement(Array("\(line)\r\n".utf8), count: 1000).joined())
    }

    private static func http2(_ behaviour: HTTP2Server.Behaviour) throws -> Hostile {
        let server = try HTTP2Server(behaviour, certificate: TestCertificates.shared().server)
        return Hostile(server: server, kind: "data", task: "url: \(server.url)")
    }

    private static func webSocket() throws -> Hostile {
        let server = try TCPServer { request in
            var headers = HeaderFields()
            for line in request.split(separator: 10).dropFirst() where line != [13] {
                headers.append(line: Array(line).span)
            }
            let accept = ScriptedWebSocketServer.accept(of: headers)
            let fields = ["Upgrade: websocket", "Connection: Upgrade"]
            let head = Reply.head(101, fields + ["Sec-WebSocket-Accept: \(accept)"])
            let pings = Array(repeatElement([0x89, 0] as [UInt8], count: 10_000).joined())
            return .flood(pings, after: head)
        }
        let task = "url: ws://127.0.0.1:\(server.port)/, steps: [{ receive: {} }]"
        return Hostile(server: server, kind: "webSockets", task: task)
    }

    private static func chunks() throws -> Hostile {
        let head = Reply.head(200, ["Transfer-Encoding: chunked"])
        let chunks = Array(repeatElement(Array("1\r\na\r\n".utf8), count: 10_000).joined())
        let server = try TCPServer { _ in .flood(chunks, after: head) }
        let task = "url: \"http://127.0.0.1:\(server.port)/\", to: file"
        return Hostile(server: server, kind: "downloads", task: task)
    }

    private static func reply() throws -> Hostile {
        let server = try TCPServer(greeting: Array("220 hello\r\n".utf8)) { _ in
            .flood(lines("331-hello"), after: [])
        }
        let task = "url: \"ftp://127.0.0.1:\(server.port)/x\", to: file"
        return Hostile(server: server, kind: "downloads", task: task)
    }

    private static func hostile(_ flood: Flood) throws -> Hostile {
        switch flood {
        case .goAways: return try http2(.goAways)
        case .emptyData: return try http2(.emptyData)
        case .resets: return try http2(.resets)
        case .linesOfSSH:
            let server = try TCPServer { _ in .flood(lines("hello"), after: []) }
            let url = "sftp://127.0.0.1:\(server.port)/x"
            let origin = "sftp://127.0.0.1:\(server.port)"
            return Hostile(server: server, kind: "data", task: "url: \"\(url)\"", origin: origin)
        case .chunksOfAByte: return try chunks()
        case .dataOfAByte:
            var hostile = try http2(.dataOfAByte)
            (hostile.kind, hostile.task) = ("downloads", hostile.task + ", to: file")
            return hostile
        case .replyOfFTP: return try reply()
        case .pingsOfWebSocket: return try webSocket()
        case .bytesOfStream:
            let server = try TCPServer { _ in
                .flood([UInt8](repeating: 97, count: 65_536), after: [])
            }
            let steps = "[{ write: { text: go } }, { read: { until: \"\\n\" } }]"
            let task = "host: 127.0.0.1, port: \(server.port), steps: \(steps)"
            return Hostile(server: server, kind: "streams", task: task)
        case .brotli:
            // 16 MiB of zeros in each 14 bytes.
            let first: [UInt8] = [207, 255, 255, 127, 0, 36, 0, 226, 177, 64, 114, 239, 255, 13]
            let next: [UInt8] = [252, 255, 255, 7, 64, 2, 32, 14, 11, 64, 247, 254, 223, 0]
            let bomb = first + Array(repeatElement(next, count: 3500).joined()) + [3]
            let server = try ScriptedServer(["/": [.ok(bomb, ["Content-Encoding: br"])]])
            return Hostile(server: server, kind: "data", task: "url: \(server.url("/"))")
        }
    }

    @Test(arguments: Flood.allCases)
    func `a flood ends its task, and a harmless task on the same thread succeeds`(
        flood: Flood
    ) throws {
        let hostile = try Self.hostile(flood)
        let harmless = try ScriptedServer([
            "/": [
                .raw(
                    "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
                    then: [.drip([UInt8](repeating: 97, count: 10), every: .milliseconds(100))]
                )
            ]
        ])
        let job = try JobFolder(
            """
            version: 1
            secrets: { password: { env: PASSWORD } }
            sessions:
              t: {}
              s:
                httpVersion: "2"
                timeoutIntervalForResource: 2s
                tls: { caFile: \(try TestCertificates.shared().authorityFile) }
                ftp: { tls: none }
                ssh: { knownHosts: known_hosts }
                credentials:
                  - { method: basic, origin: "\(hostile.origin)", user: ada,
                      password: "${secret.password}" }
            \(hostile.kind):
              hostile: { \(hostile.task), session: s }
            \(hostile.kind == "downloads" ? "" : "downloads:")
              harmless: { url: \(harmless.url("/")), to: out, session: t }
            """
        )
        try job.folder.write("", to: "known_hosts")
        let run = try withExtendedLifetime(hostile) {
            try job.run(environment: ["PASSWORD": "hunter2hunter2"])
        }
        #expect(run.outcome("hostile") == "failed")
        // libcurl recognizes some floods itself, and calls them a lost connection. Pings and the
        // bytes of a stream are no fault, so that only the time ends them.
        let kinds = ["protocolViolation", "tooLarge", "reset", "timeout"]
        let expected = flood.isBody ? ["timeout"] : kinds
        #expect(expected.contains(run.kind("hostile") ?? ""), "\(run.command.standardError)")
        #expect(run.outcome("harmless") == "succeeded")
    }
}
