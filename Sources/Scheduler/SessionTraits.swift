internal import TransferModel

/// The settings of a session that the machine reads for each task; small, because they are copied.
struct SessionTraits: Sendable {
    let name: String
    /// The `sessionDescription` in reports; nil without one.
    let description: String?
    /// The identifier of a background session.
    let identifier: String?
    let kind: SessionConfiguration.Kind
    let waitsForConnectivity: Bool
    /// The longest time of a task (`timeoutIntervalForResource`); nil for no limit.
    let timeLimit: Duration?

    init(_ session: SessionConfiguration) {
        name = session.name
        description = session.sessionDescription
        identifier = session.identifier
        kind = session.kind
        waitsForConnectivity = session.waitsForConnectivity
        timeLimit = session.timeoutIntervalForResource
    }
}
