/// The report's facts about a stream's conversation.
///
/// A class, because few tasks have it and records are passed on often.
package final class StreamRecord: Sendable, Hashable {
    /// One step that has begun.
    package struct Step: Sendable, Hashable {
        /// How a step ended.
        package enum Outcome: String, Sendable, Hashable, CaseIterable {
            case succeeded
            case failed
        }

        /// The key of the step in the job file.
        package var name: StreamStep.Name
        /// When the step began, by the run's clock.
        package var startDate: Timestamp
        /// When the step ended, by the run's clock.
        package var endDate: Timestamp
        /// How the step ended.
        package var outcome: Outcome
        /// The bytes that the step has sent or taken, without those of TLS.
        package var byteCount: Int64
        /// The version of the TLS that the step has begun; nil for none.
        package var tlsVersion: String?
        /// The cipher suite of that TLS; nil for none.
        package var cipherSuite: String?

        /// Creates the record of a step.
        package init(
            _ name: StreamStep.Name,
            from startDate: Timestamp,
            to endDate: Timestamp,
            _ outcome: Outcome,
            byteCount: Int64,
            tlsVersion: String? = nil,
            cipherSuite: String? = nil
        ) {
            self.name = name
            self.startDate = startDate
            self.endDate = endDate
            self.outcome = outcome
            self.byteCount = byteCount
            self.tlsVersion = tlsVersion
            self.cipherSuite = cipherSuite
        }
    }

    /// The steps that have begun, in order; of many only the first ones.
    package let steps: [Step]
    /// The number of later steps, which have no record.
    package let omittedSteps: Int
    /// Whether the peer has said that it sends no more.
    package let isClosedByPeer: Bool

    /// The most steps with a record.
    package static let mostSteps = 1000

    /// Creates the record of a conversation.
    package init(steps: [Step], omittedSteps: Int = 0, isClosedByPeer: Bool) {
        self.steps = steps
        self.omittedSteps = omittedSteps
        self.isClosedByPeer = isClosedByPeer
    }

    /// Whether both describe the same conversation.
    package static func == (left: StreamRecord, right: StreamRecord) -> Bool {
        left.steps == right.steps && left.omittedSteps == right.omittedSteps
            && left.isClosedByPeer == right.isClosedByPeer
    }

    /// Hashes all properties that `==` compares.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(steps)
        hasher.combine(omittedSteps)
        hasher.combine(isClosedByPeer)
    }
}
