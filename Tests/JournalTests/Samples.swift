import TransferModel

@testable import Journal

extension KeyRound {
    static let sample = KeyRound(
        seed: (0..<32).map { UInt8($0) },
        at: Timestamp(microseconds: 1_763_712_000_000_000)
    )
}

extension TaskRecord {
    /// A task that ended, with what it has to do with keys.
    static func order(
        _ key: MadeKey,
        _ outcome: TaskOutcome,
        _ kind: TransferFailure.Kind? = nil,
        status: Int? = nil
    ) -> TaskRecord {
        let date = Timestamp(microseconds: 0)
        var record = TaskRecord(
            id: "a",
            taskIdentifier: 1,
            kind: .upload,
            session: "default",
            source: SourceLocation(file: "job.yaml", line: 1, column: 1),
            outcome: outcome,
            required: true,
            request: .init(method: "POST", url: "http://a.test/", headers: HeaderFields()),
            startDate: date,
            endDate: date
        )
        record.madeKey = key
        record.error = kind.map { TransferFailure(kind: $0, phase: .wait, detail: "") }
        record.error?.httpStatus = status
        return record
    }
}
