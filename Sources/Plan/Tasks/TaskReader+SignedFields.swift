internal import JobFile
internal import TransferModel

extension TaskReader {
    /// What `awsSigV4` adds to a request that it signs.
    private static let signedFields = [
        "X-Amz-Date", "X-Amz-Content-Sha256", "X-Amz-Security-Token",
    ]

    /// Reports fields of a task that the session's signature makes itself: a server refuses two of them.
    func checkSignedFields(of draft: TaskDraft, _ entry: TaskList.Entry, _ reader: inout Reader) {
        guard let session = draft.session, !signedSpaces[session].isEmpty,
            let origin = draft.url?.origin,
            signedSpaces[session].contains(where: { $0.contains(origin) })
        else { return }
        let inherited = sessions[session].httpAdditionalHeaders
        // A task that proves itself by its own field is not signed.
        guard !draft.headers.contains("Authorization") else { return }
        for name in Self.signedFields {
            if draft.headers.contains(name) {
                refuse(name, "`awsSigV4` makes it", draft, entry, &reader)
            } else if inherited.contains(name) {
                reader.report(
                    .reservedHeader,
                    "`httpAdditionalHeaders`: `\(name)` cannot be set by hand\(reader.context): "
                        + "`awsSigV4` makes it",
                    at: entry.key
                )
            }
        }
    }
}

extension Credential {
    /// Whether it signs requests.
    var isSigner: Bool {
        if case .awsSigV4 = proof { true } else { false }
    }
}
