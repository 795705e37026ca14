internal import TransferModel

extension TaskRecord {
    /// A task that succeeded at once, in a report with the detail `failures`.
    ///
    /// It has the members that other commands need, and no text of a server. A million lines are to
    /// take less than 250 MB.
    enum Line: ReportObject {
        typealias Subject = EndedTask
        static let name = "taskLine"
        static let description =
            "One task that succeeded with its first attempt, in a report with the detail `failures`"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.string("id", "The task's id in the job file") { $0.record.id }
            members.choice("type", "The section of the task in the job file") { $0.record.kind }
            members.integer("line", "The task's line in the job file", .integer(1...Int64.max)) {
                Int64($0.record.source.line)
            }
            members.choice("outcome", "How the task ended") { $0.record.outcome }
            members.optionalInteger(
                "statusCode",
                "The status of the final response; null without one",
                .integer(0...999)
            ) { $0.record.response.map { Int64($0.statusCode) } }
            members.integer("attempts", "The number of attempts") { Int64($0.record.attemptCount) }
            members.date("startDate", "The task's creation") { $0.record.startDate }
            members.integer("durationUs", "From the task's creation to its end, microseconds") {
                max(0, $0.record.endDate.microseconds(since: $0.record.startDate))
            }
            members.integer("countOfBytesSent", "Body bytes sent") { $0.record.countOfBytesSent }
            members.integer("countOfBytesReceived", "Body bytes received") {
                $0.record.countOfBytesReceived
            }
            members.optionalObject(
                "file",
                "The published file; null when no file was published",
                FileLine.self
            ) { $0.record.file }
        }
    }

    /// A published file in a task's line.
    private enum FileLine: ReportObject {
        typealias Subject = PublishedFile
        static let name = "fileLine"
        static let description = "The size and the checksum of a published file"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.integer("size", "The length in bytes") { $0.size }
            members.optionalOwnText("sha256", "The SHA-256, if it was computed", .sha256) {
                $0.sha256
            }
        }
    }
}
