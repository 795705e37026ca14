internal import JobFile
internal import TransferModel

/// A scalar with its expressions filled in.
struct ScalarValue: Sendable, Hashable {
    var text: String
    var type: Scalar
    /// Whether the text came out of an expression, so that its form decides its type.
    var isFilledIn: Bool
    /// Whether some of the text came from the environment, where secrets are.
    var isFromEnvironment = false
    /// The secrets that the text holds.
    var secrets = SecretSet()
    /// Where the first secret begins, an offset in UTF-8; 0 without a secret.
    var firstSecret = 0
    /// Whether a task captured some of the text, so that a peer chose it.
    var isCaptured = false
    /// Whether some of the text differs in every run, `${run.…}`.
    var isOfRun = false
    /// Where the stand-in for a captured value begins, an offset in UTF-8; nil without one.
    var standInStart: Int?

    /// The digests of the task's body in the text, which attempts fill in.
    var bodyDigests: [BodyDigest] = []

    /// Whether a task captures some of the text later.
    var isKnownLater: Bool { standInStart != nil }

    /// Whether a peer chose some of the text, or will.
    var isOfPeer: Bool { isCaptured || isKnownLater }

    /// Adds the text of another value, and the facts about it.
    mutating func append(_ other: ScalarValue) {
        let start = text.utf8.count
        if secrets.isEmpty, !other.secrets.isEmpty { firstSecret = start + other.firstSecret }
        secrets.formUnion(other.secrets)
        standInStart = standInStart ?? other.standInStart.map { start + $0 }
        for var digest in other.bodyDigests {
            digest.range = start + digest.range.lowerBound..<start + digest.range.upperBound
            bodyDigests.append(digest)
        }
        text += other.text
        isFilledIn = isFilledIn || other.isFilledIn
        isFromEnvironment = isFromEnvironment || other.isFromEnvironment
        isCaptured = isCaptured || other.isCaptured
        isOfRun = isOfRun || other.isOfRun
    }
}
