internal import JobFile
internal import TransferModel

extension TaskReader {
    /// The header fields that `awsSigV4` adds to a request that it signs.
    private static let signedFields = [
        "X-Amz-Date", "X-Amz-Content-Sha256", "X-Amz-Security-Token",
    ]

    /// Reports what the session's signature does not allow in a task.
    func checkSignedRequest(of draft: TaskDraft, _ entry: TaskList.Entry, _ reader: inout Reader) {
        guard let session = draft.session, !signers[session].isEmpty, let url = draft.url,
            let signer = signers[session].first(where: { $0.space.contains(url.origin) }),
            case .awsSigV4(let keys) = signer.proof
        else { return }
        // A task that proves itself by its own field is not signed.
        guard !draft.headers.contains("Authorization") else { return }
        checkSignedFields(
            of: draft,
            inheriting: sessions[session].httpAdditionalHeaders,
            entry,
            &reader
        )
        if keys.service == "s3", url.path != url.sentPath {
            reader.report(
                .badURL,
                "`url`\(reader.context): a request goes to a path without dot segments, "
                    + "which is another object of S3",
                at: entry.key
            )
        }
        if keys.service != "s3", let content = draft.content, !content.isInMemory {
            reader.report(
                .conflictingKeys,
                "the body\(reader.context) is not in memory, which `awsSigV4` signs for the service `s3` only",
                at: entry.key,
                help: "send it as `json`, `text` or `form`"
            )
        }
    }

    /// Reports fields of a task that the signature makes itself: a server refuses two of them.
    private func checkSignedFields(
        of draft: TaskDraft,
        inheriting inherited: [HeaderField],
        _ entry: TaskList.Entry,
        _ reader: inout Reader
    ) {
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

extension BodySource {
    /// Whether all of it is there before it is sent.
    fileprivate var isInMemory: Bool {
        switch self {
        case .bytes, .compressed: true
        case .file, .multipart, .command, .pipe: false
        }
    }
}
