internal import Diagnostics
internal import TransferModel

/// Finds the settings that the signature of a session does not allow in a task.
enum SignatureCheck {
    /// The header fields that `awsSigV4` adds to a request that it signs.
    private static let signedFields = [
        "X-Amz-Date", "X-Amz-Content-Sha256", "X-Amz-Security-Token",
    ]

    /// Checks a task whose session has credentials that sign requests.
    static func check(
        _ draft: TaskDraft,
        in session: SessionConfiguration,
        signers: [Credential],
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        // A task with its own `Authorization` field is not signed.
        guard let url = draft.url, !draft.headers.contains("Authorization"),
            let signer = signers.first(where: { $0.space.contains(url.origin) }),
            case .awsSigV4(let keys) = signer.proof
        else { return }
        for name in signedFields {
            if draft.headers.contains(name) {
                place.reserve(name, "`awsSigV4` sets it", among: draft.headers, &log)
            } else if session.httpAdditionalHeaders.contains(name) {
                place.report(
                    .reservedHeader,
                    "`httpAdditionalHeaders`: `\(name)` cannot be set by hand\(place.context): "
                        + "`awsSigV4` sets it",
                    at: place.entry.key,
                    &log
                )
            }
        }
        if keys.service == "s3", url.path != url.sentPath {
            place.report(
                .badURL,
                "`url`\(place.context): runner removes dot segments from the path, "
                    + "so that the request would name another object of S3",
                at: place.entry.key,
                &log
            )
        }
        if keys.service != "s3", let content = draft.content, !content.isInMemory {
            place.report(
                .conflictingKeys,
                "the body\(place.context) is not in memory, and `awsSigV4` signs such bodies only "
                    + "for the service `s3`",
                at: place.entry.key,
                help: "send it as `json`, `text` or `form`",
                &log
            )
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
    /// Whether the whole body is known before it is sent.
    fileprivate var isInMemory: Bool {
        switch self {
        case .bytes, .compressed: true
        case .file, .multipart, .command, .pipe: false
        }
    }
}
