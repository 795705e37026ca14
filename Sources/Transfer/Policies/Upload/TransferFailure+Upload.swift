internal import SystemKit
internal import TransferModel

// The failures of resumable uploads.
extension TransferFailure {
    /// An order that may have been completed as a different upload.
    static var anotherUpload: TransferFailure {
        var failure = TransferFailure(
            kind: .truncated,
            phase: .prepare,
            detail:
                "an earlier run was interrupted during this upload, and its fields, credentials "
                + "or file have changed since"
        )
        failure.isPermanent = true
        failure.isOutcomeUnknown = true
        failure.urlError = .networkConnectionLost
        return failure
    }

    /// An order whose earlier outcome cannot be determined.
    init(_ obstacle: UploadObstacle) {
        switch obstacle {
        case .elsewhere:
            self.init(
                kind: .truncated,
                phase: .prepare,
                detail:
                    "an earlier run sent a part of this upload, and another run holds its record"
            )
            isPermanent = true
            isKnownUnprocessed = true
            help = "run the job again when the other run has ended"
        case .damaged(let path):
            self.init(
                kind: .truncated,
                phase: .prepare,
                detail:
                    "an earlier run sent a part of this upload, and its record cannot be read: "
                    + "\(path)"
            )
            isPermanent = true
            isOutcomeUnknown = true
            urlError = .networkConnectionLost
        case .unreadable(let error):
            self.init(error, phase: .prepare)
            help = "runner keeps its records of interrupted uploads there"
        }
    }

    /// A fault of a server of resumable uploads.
    init(_ fault: UploadFault, of upload: UploadMachine, phase: Phase) {
        switch fault {
        case .noURL:
            self.init("the server wants the rest of the upload but gave no URL for it", phase)
        case .noOffset:
            self.init("the server does not say how many bytes of the upload it has", phase)
        case .wrongOffset(let offset):
            self.init(
                "the server says that it has \(offset) bytes of the upload of \(upload.total) "
                    + "bytes, but it had confirmed \(upload.confirmed)",
                phase
            )
        case .noProgress:
            self.init(
                "the server takes no more than \(upload.confirmed) bytes of the upload",
                phase
            )
        case .forgotten(let status):
            self.init(
                kind: .truncated,
                phase: phase,
                detail: "the server no longer knows the upload (\(status)), "
                    + "and may have received all of it"
            )
            httpStatus = status
            isPermanent = true
            isOutcomeUnknown = !upload.isRepeatable
            urlError = .networkConnectionLost
        case .hasOther: self = .anotherUpload
        case .refused(let status):
            self.init(
                kind: .httpStatus,
                phase: phase,
                detail:
                    "the server answered \(status) when runner asked how many bytes of the upload "
                    + "it has"
            )
            httpStatus = status
            urlError = .badServerResponse
            if status == 401 || status == 403 {
                help =
                    "a later run asks again; `resumable: none` sends the whole body again, which "
                    + "the server may already have"
            }
        }
    }

    private init(_ violation: String, _ phase: Phase) {
        self.init(kind: .protocolViolation, phase: phase, detail: violation)
        urlError = .badServerResponse
    }
}
