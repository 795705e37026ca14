import TestSupport
import Testing
import TransferModel

/// The rules of RFC 6455, each with a scripted server of its own, from one job file to its report.
@Suite struct WebSocketProtocolTests {
    @Test func `each rule of the protocol has its reaction`() throws {
        let cases = ProtocolCase.all
        #expect(cases.count >= 60)
        #expect(Set(cases.map(\.number)).count == cases.count)
        var scripts: [String: ScriptedWebSocketServer.Script] = [:]
        for rule in cases {
            scripts["/\(rule.number)"] = .init(rule.bytes, pieceSize: rule.pieceSize)
        }
        let server = try ScriptedWebSocketServer(scripts)
        let tasks = cases.map { rule in
            """
              c\(rule.number):
                url: "\(server.origin)/\(rule.number)"
                required: false
                maximumMessageSize: 100000B
                responseTo: out/\(rule.number)
                retry: { attempts: 1 }
                steps: [\(Self.step(of: rule))]
            """
        }
        let job = try JobFolder(
            """
            version: 1
            webSockets:
            \(tasks.joined(separator: "\n"))
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        for rule in cases { try Self.check(rule, run, job, server) }
    }

    private static func step(of rule: ProtocolCase) -> String {
        guard case .closed(let code) = rule.reaction else {
            return "{ receive: { until: { text: end } } }"
        }
        return "{ receive: { until: closed, expect: { closeCode: \(code ?? 1005) } } }"
    }

    private static func check(
        _ rule: ProtocolCase,
        _ run: RunOutcome,
        _ job: JobFolder,
        _ server: ScriptedWebSocketServer
    ) throws {
        let number = rule.number
        let id = "c\(number)"
        let frames = try #require(server.visits(to: "/\(number)").first?.frames, "\(number)")
        let pongs = frames.filter { $0.opcode == ServerFrame.pong }.map(\.payload)
        let closes = frames.filter { $0.opcode == ServerFrame.close }.map(\.payload)
        let codes = closes.map { $0.prefix(2).reduce(0) { $0 << 8 | UInt16($1) } }
        #expect(frames.count == pongs.count + closes.count, "\(number)")
        let record = run.task(id)?["extension"]?["webSocket"]
        let message = run.task(id)?["error"]?["message"]?.string
        switch rule.reaction {
        case .messages(let messages, let expected):
            #expect(run.outcome(id) == "succeeded", "\(number): \(message ?? "")")
            #expect(pongs == expected, "\(number)")
            #expect(codes == [1000], "\(number)")
            #expect(record?["isClean"]?.bool == true, "\(number)")
            #expect(try Self.messages(in: job, number) == messages, "\(number)")
        case .fault(let code):
            #expect(run.outcome(id) == "failed", "\(number)")
            #expect(codes == [code], "\(number): \(message ?? "")")
            #expect(record?["closeCode"]?.integer == 1006, "\(number)")
        case .closed(let code):
            #expect(run.outcome(id) == "succeeded", "\(number): \(message ?? "")")
            #expect(codes == [code ?? 0], "\(number)")
            #expect(record?["closeCode"]?.integer == Int64(code ?? 1005), "\(number)")
        }
    }

    /// The messages of the task's file.
    private static func messages(
        in job: JobFolder,
        _ number: String
    ) throws -> [ProtocolCase.Message] {
        try job.folder.text("out/\(number)").split(separator: "\n").map { line in
            let line = try JSONValue(String(line))
            if let text = line["text"]?.string { return .text(text) }
            return .binary(try #require(Base64.decode((line["base64"]?.string ?? "").utf8)))
        }
    }
}
