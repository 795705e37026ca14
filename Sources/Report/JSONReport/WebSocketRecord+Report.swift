internal import TransferModel

extension WebSocketRecord {
    enum Report: ReportObject {
        typealias Subject = WebSocketRecord
        static let name = "webSocket"
        static let description = "A conversation over a WebSocket"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.optionalForeignText(
                "protocol",
                "The subprotocol that the server chose; null without one"
            ) { $0.subprotocol }
            members.optionalInteger(
                "closeCode",
                "As URLSessionWebSocketTask.closeCode: the code of the server's Close frame, 1005 without a code, 1006 without a frame"
            ) { $0.closeCode.map { Int64($0) } }
            members.optionalForeignText(
                "closeReason",
                "The reason of the server's Close frame; null without one"
            ) { $0.closeReason.isEmpty ? nil : $0.closeReason }
            members.bool("isClean", "Whether the server has sent a Close frame") { $0.isClean }
            members.integer("messagesSent", "The messages that were sent") {
                Int64($0.sentMessageCount)
            }
            members.integer(
                "messagesReceived",
                "The messages that arrived, including those that no step has taken"
            ) { Int64($0.receivedMessageCount) }
            members.integer("pingsReceived", "The pings of the server, all of them answered") {
                Int64($0.receivedPingCount)
            }
            members.array("steps", "The steps that have begun, in order", Step.Report.self) {
                $0.steps
            }
        }
    }
}

extension WebSocketRecord.Step {
    enum Report: ReportObject {
        typealias Subject = WebSocketRecord.Step
        static let name = "webSocketStep"
        static let description = "A step of a conversation over a WebSocket"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.choice("step", "The key of the step in the job file") { $0.name }
            members.date("startDate", "Its beginning") { $0.startDate }
            members.date("endDate", "Its end") { $0.endDate }
            members.choice("outcome", "How the step ended") { $0.outcome }
            members.integer("messages", "The messages that the step has sent or taken") {
                Int64($0.messageCount)
            }
            members.integer("bytes", "The bytes of those messages") { $0.byteCount }
            members.optionalInteger(
                "closeCode",
                "The code of a Close frame that the step has sent or received; null without one"
            ) { $0.closeCode.map { Int64($0) } }
        }
    }
}
