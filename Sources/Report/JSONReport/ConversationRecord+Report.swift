internal import TransferModel

extension StreamRecord {
    enum Report: ReportObject {
        typealias Subject = StreamRecord
        static let name = "stream"
        static let description = "A conversation over a TCP connection"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.bool("isClosedByPeer", "Whether the peer has said that it sends no more") {
                $0.isClosedByPeer
            }
            members.array(
                "steps",
                "The steps that have begun, in order; of many the first 1000",
                StreamStepReport.self
            ) { $0.steps }
            members.integer("omittedSteps", "The later steps, which have no record") {
                Int64($0.omittedSteps)
            }
        }
    }
}

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
            members.array("steps", "The steps that have begun, in order", WebSocketStepReport.self)
            {
                $0.steps
            }
        }
    }
}

enum StreamStepReport: ReportObject {
    typealias Subject = StepRecord<StreamStep.Name>
    static let name = "streamStep"
    static let description = "A step of a conversation over a TCP connection"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.step(StreamStep.Name.self)
        members.integer(
            "bytes",
            "The bytes that the step has sent or taken, without those of TLS"
        ) { $0.byteCount }
        members.optionalString(
            "tlsProtocolVersion",
            "The TLS that the step has begun, such as TLSv1.3; null for none"
        ) { $0.tlsVersion }
        members.optionalString(
            "tlsCipherSuite",
            "The cipher suite of that TLS by its registered name; null for none"
        ) { $0.cipherSuite }
    }
}

enum WebSocketStepReport: ReportObject {
    typealias Subject = StepRecord<WebSocketStep.Name>
    static let name = "webSocketStep"
    static let description = "A step of a conversation over a WebSocket"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.step(WebSocketStep.Name.self)
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

extension ReportMembers where Self: ~Copyable {
    /// Declares the members that the steps of all conversations have.
    fileprivate mutating func step<Name: RawRepresentable & CaseIterable & Sendable & Hashable>(
        _ name: Name.Type
    ) where Subject == StepRecord<Name>, Name.RawValue == String {
        choice("step", "The key of the step in the job file") { $0.name }
        date("startDate", "Its beginning") { $0.startDate }
        date("endDate", "Its end") { $0.endDate }
        choice("outcome", "How the step ended") { $0.outcome }
    }
}
