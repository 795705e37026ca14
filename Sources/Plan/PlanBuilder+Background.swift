internal import Diagnostics
internal import JobFile
internal import TransferModel

extension PlanBuilder {
    /// Checks that a session has an identifier if it is a background session, and one of its own.
    ///
    /// - Parameters:
    ///   - session: What was read of it.
    ///   - entry: Where it stands.
    ///   - identifiers: Where those of the sessions before it stand.
    mutating func checkIdentifier(
        of session: SessionConfiguration,
        _ entry: (key: NodeID, value: NodeID),
        _ identifiers: inout [String: NodeID]
    ) {
        let place = document.value(of: entry.value, for: "identifier")
        guard session.kind == .background else {
            if let key = place?.key {
                reader.report(
                    .conflictingKeys,
                    "`identifier`\(reader.context) belongs to a background session",
                    at: key,
                    help: "write `configuration: background`"
                )
            }
            return
        }
        guard let place else {
            reader.report(
                .missingKey,
                "the key `identifier`\(reader.context) is required, because it is a background session",
                at: entry.key,
                help:
                    "it names what is kept of the session's transfers, such as `identifier: nightly`"
            )
            return
        }
        guard let identifier = session.identifier else { return }
        if let first = identifiers.updateValue(place.value, forKey: identifier) {
            identifiers[identifier] = first
            reader.report(
                .duplicateIdentifier,
                "the identifier `\(identifier.excerpt)` stands twice",
                at: place.value,
                notes: [.init("it stands here first", at: document.range(of: first))],
                help: "each background session has one of its own"
            )
        }
    }
}
