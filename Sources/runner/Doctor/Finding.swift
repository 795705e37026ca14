/// One finding of `doctor`.
struct Finding: Sendable {
    /// How well the feature works on this machine.
    enum Status: String, Sendable, CaseIterable {
        case ok
        /// The feature works, but less well or less safely than it could.
        case limited
        /// The feature does not work here; only jobs that use it fail.
        case absent
        /// Jobs fail here until the fault is removed.
        case fault
    }

    /// The name of the feature, in a word or two.
    let name: String
    let status: Status
    /// The state that was found.
    let value: String
    /// The meaning of that state for jobs.
    let meaning: String

    init(_ name: String, _ status: Status, _ value: String, _ meaning: String) {
        self.name = name
        self.status = status
        self.value = value
        self.meaning = meaning
    }

    /// A feature that is there or not; `without` says what its absence means.
    init(
        _ name: String,
        _ value: String?,
        _ meaning: String,
        without: String,
        _ status: Status = .absent
    ) {
        if let value {
            self.init(name, .ok, value, meaning)
        } else {
            self.init(name, status, "not available", without)
        }
    }
}

/// The findings of `doctor` about one part of the machine.
struct Examination: Sendable {
    let name: String
    let findings: [Finding]
}
