internal import Diagnostics
internal import JobFile
internal import TransferModel

/// Checks that each background session, and no other session, has an `identifier` of its own.
struct SessionIdentifierCheck {
    /// The places of the identifiers.
    private var known: [String: NodeID] = [:]

    /// Checks the identifier of the next session, at `entry`.
    mutating func check(
        _ session: SessionConfiguration,
        _ entry: (key: NodeID, value: NodeID),
        _ reader: inout Reader
    ) {
        let place = reader.document.value(of: entry.value, for: "identifier")
        guard session.kind == .background else {
            guard let key = place?.key else { return }
            return reader.report(
                .conflictingKeys,
                "`identifier`\(reader.context) belongs to a background session",
                at: key,
                help: "write `configuration: background`"
            )
        }
        guard let place else {
            return reader.report(
                .missingKey,
                "the key `identifier`\(reader.context) is required for a background session",
                at: entry.key,
                help:
                    "it names the stored state of the session, such as `identifier: nightly`"
            )
        }
        guard let identifier = session.identifier else { return }
        guard let first = known[identifier] else {
            known[identifier] = place.value
            return
        }
        reader.report(
            .duplicateIdentifier,
            "duplicate identifier `\(identifier.excerpt)`",
            at: place.value,
            notes: [.init("the first one is here", at: reader.document.range(of: first))],
            help: "each background session needs its own identifier"
        )
    }
}
