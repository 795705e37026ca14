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
                Step.Report.self
            ) { $0.steps }
            members.integer("omittedSteps", "The later steps, which have no record") {
                Int64($0.omittedSteps)
            }
        }
    }
}

extension StreamRecord.Step {
    enum Report: ReportObject {
        typealias Subject = StreamRecord.Step
        static let name = "streamStep"
        static let description = "A step of a conversation over a TCP connection"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.choice("step", "The key of the step in the job file") { $0.name }
            members.date("startDate", "Its beginning") { $0.startDate }
            members.date("endDate", "Its end") { $0.endDate }
            members.choice("outcome", "How the step ended") { $0.outcome }
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
}
