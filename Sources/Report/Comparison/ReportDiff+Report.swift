internal import JSON
internal import TransferModel

extension ReportDiff {
    /// The version of the format of the JSON.
    private static let formatVersion: Int64 = 1

    /// The differences as one line of JSON, which `schema` describes.
    package var json: [UInt8] {
        var writer = ReportWriter()
        writer.object(Document.self, self)
        writer.json.newline()
        return writer.json.bytes
    }

    /// The JSON Schema (draft-07) of the differences.
    package static var schema: String { Document.schema.document(title: "runner report diff") }

    private enum Document: ReportObject {
        typealias Subject = ReportDiff
        static let name = "diff"
        static let description =
            "The differences between the reports of two runs, format version \(formatVersion)"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.integer(
                "formatVersion",
                "The version of the format",
                .exactly(formatVersion)
            ) { _ in formatVersion }
            members.object("old", "The run of the first report", ComparedRun.self) { $0.old }
            members.object("new", "The run of the second report", ComparedRun.self) { $0.new }
            members.integer("commonTasks", "The number of tasks that both reports have") {
                Int64($0.commonCount)
            }
            members.optionalInteger(
                "typicalPercent",
                "The median of the new times, percent of the old ones; null for fewer than 8 tasks"
            ) { $0.typicalPercent }
            members.integer(
                "slowerPercent",
                "From which ratio on a task counted as slower: the limit, or the noise above it"
            ) { $0.slowerPercent }
            members.array(
                "failedAnew",
                "Tasks that did not succeed, and succeeded or were missing before",
                ChangedTask.self
            ) { $0.failedAnew }
            members.array("recovered", "Tasks that succeeded, and did not before", ChangedTask.self)
            { $0.recovered }
            members.array(
                "slower",
                "Tasks that took longer, the longest delay first",
                ChangedTask.self
            ) { $0.slower }
            members.array(
                "changed",
                "Tasks with another size or SHA-256 of their file, or another end without success",
                ChangedTask.self
            ) { $0.changed }
            members.array("came", "Tasks of the second report only", ChangedTask.self) { $0.came }
            members.array("went", "Tasks of the first report only", ChangedTask.self) { $0.went }
        }
    }

    private enum ComparedRun: ReportObject {
        typealias Subject = ReportedRun
        static let name = "comparedRun"
        static let description = "The run of a report"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.string("job", "The job's name") { $0.head.jobName }
            members.string("id", "The identifier of the run") { $0.head.runIdentifier }
            members.date("startDate", "The run's beginning") { $0.head.startDate }
            members.integer("durationUs", "The length of the run, microseconds") {
                $0.durationMicroseconds
            }
            members.integer("exitCode", "The exit code of the run") { Int64($0.exitCode) }
        }
    }

    private enum ChangedTask: ReportObject {
        typealias Subject = Change
        static let name = "changedTask"
        static let description = "A task with a difference"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.string("id", "The task's id in the job file") { $0.id }
            members.optionalObject(
                "old",
                "Its end in the first report; null if it is not there",
                TaskEnd.self
            ) { $0.old }
            members.optionalObject(
                "new",
                "Its end in the second report; null if it is not there",
                TaskEnd.self
            ) { $0.new }
            members.optionalString("message", "The new failure in one sentence; null without one") {
                $0.message
            }
        }
    }

    private enum TaskEnd: ReportObject {
        typealias Subject = End
        static let name = "end"
        static let description = "The end of a task in one report"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.choice("outcome", "How the task ended") { $0.outcome }
            members.optionalString("kind", "The class of the failure; null without one") { $0.kind }
            members.integer("durationUs", "From the task's creation to its end, microseconds") {
                $0.durationMicroseconds
            }
            members.optionalInteger("size", "The size of the published file; null without one") {
                $0.file?.size
            }
            members.optionalOwnText(
                "sha256",
                "The SHA-256 of the published file; null if it was not computed",
                .string
            ) { $0.file?.sha256 }
        }
    }
}
