/// One step of a conversation.
package protocol ConversationStep: Sendable {
    /// The names of the steps in job files and reports.
    associatedtype Name: RawRepresentable, Sendable, Hashable, CaseIterable
    where Name.RawValue == String
    /// The action of a step.
    associatedtype Action: Sendable

    /// Creates a step.
    init(_ action: Action, timeout: Duration?)

    /// The name of the step's key, also in reports.
    var name: Name { get }
    /// The longest duration of the step; nil for no limit but those of the task.
    var timeout: Duration? { get }
    /// How long the step lasts, whether the peer is silent or not; nil when it ends otherwise.
    var duration: Duration? { get }
}

extension ConversationStep {
    /// nil: only a step that receives for a time has a duration.
    package var duration: Duration? { nil }
}

/// The source of the bytes that a step sends.
package enum StepContent: Sendable, Hashable {
    case bytes([UInt8])
    /// An absolute path; the step opens the file once.
    case file(path: String)

    /// The number of bytes that are in memory.
    package var size: Int { if case .bytes(let bytes) = self { bytes.count } else { 0 } }

    /// The path of the file; nil for bytes in memory.
    package var path: String? { if case .file(let path) = self { path } else { nil } }
}

/// One step of a conversation that has begun.
package struct StepRecord<Name: Sendable & Hashable>: Sendable, Hashable {
    /// The key of the step in the job file.
    package var name: Name
    /// When the step began, by the run's clock.
    package var startDate: Timestamp
    /// When the step ended, by the run's clock.
    package var endDate: Timestamp
    /// How the step ended.
    package var outcome: StepOutcome
    /// The bytes that the step has sent or taken, without those of TLS and of frames.
    package var byteCount: Int64 = 0
    /// The messages that the step of a WebSocket has sent or taken.
    package var messageCount = 0
    /// The code of a Close frame that the step has sent or received; nil for none.
    package var closeCode: Int?
    /// The version of the TLS that the step has begun; nil for none.
    package var tlsVersion: String?
    /// The cipher suite of that TLS; nil for none.
    package var cipherSuite: String?

    /// Creates the record of a step that has moved nothing.
    package init(
        _ name: Name,
        from startDate: Timestamp,
        to endDate: Timestamp,
        _ outcome: StepOutcome
    ) {
        self.name = name
        self.startDate = startDate
        self.endDate = endDate
        self.outcome = outcome
    }
}

/// How a step ended.
package enum StepOutcome: String, Sendable, Hashable, CaseIterable {
    case succeeded
    case failed
}
