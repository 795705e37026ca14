internal import JSON
internal import TransferModel

/// One attempt of a task in a report.
struct ReportedAttempt {
    /// From 1.
    var number: Int
    var startDate: Timestamp
    var endDate: Timestamp
    var outcome: TaskOutcome
    /// The kind of the failure, or the status; nil for a success.
    var reason: String?
    /// The wait before the attempt, microseconds.
    var waitedMicroseconds: Int64

    init(_ json: JSONValue) throws(ReportFault) {
        number = Int(try json.number("number"))
        startDate = try json.date("startDate")
        endDate = try json.date("endDate")
        outcome = TaskOutcome(rawValue: try json.text("outcome")) ?? .failed
        reason = json["reason"]?.string
        waitedMicroseconds = try json.number("waitedUs")
    }
}
