package import TransferModel

/// The values of `${run.…}`: the same in every task of a run.
package struct RunValues: Sendable, Hashable {
    /// The run's id, as in its report.
    package var id: String
    /// The moment that `date` and `time` are of.
    package var startDate: Timestamp

    /// Creates the values of one run.
    package init(id: String, startDate: Timestamp) {
        self.id = id
        self.startDate = startDate
    }

    /// Values in the shape of a run's values, for commands that do not run the job.
    package static let standIn = RunValues(
        id: "19700101T000000Z-000000000000",
        startDate: Timestamp(microseconds: 0)
    )

    static let names = ["id", "date", "time"]

    /// The value of a name; nil when there is none.
    subscript(name: String) -> String? {
        switch name {
        case "id": id
        case "date": String(startDate.rfc3339.prefix(10))
        case "time": startDate.rfc3339.prefix(19) + "Z"
        default: nil
        }
    }
}
