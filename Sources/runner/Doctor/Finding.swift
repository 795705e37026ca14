/// One thing that `doctor` has looked at.
struct Finding: Sendable {
    /// How well it does here.
    enum Status: String, Sendable, CaseIterable {
        case ok
        /// It works, but less well or less safely than it could.
        case limited
        /// It does not work here; only jobs that ask for it notice.
        case absent
        /// Jobs fail here until somebody mends it.
        case fault
    }

    /// What was looked at, in a word or two.
    let name: String
    let status: Status
    /// What was found.
    let value: String
    /// What that means for jobs.
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
            self.init(name, status, "not there", without)
        }
    }
}

/// What `doctor` has found out about one side of the machine.
struct Examination: Sendable {
    let name: String
    let findings: [Finding]
}
