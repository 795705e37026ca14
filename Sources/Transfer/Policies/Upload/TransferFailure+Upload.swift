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
                "an earlier run was cut while it sent this upload, whose fields, credentials or file were others then"
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
                    "an earlier run has left a part of this upload, and another run has the record of it"
            )
            isPermanent = true
            isKnownUnprocessed = true
            help = "run the job again when the other run has ended"
        case .damaged(let path):
            self.init(
                kind: .truncated,
                phase: .prepare,
                detail:
                    "an earlier run has left a part of this upload, and the record of it cannot be read: \(path)"
            )
            isPermanent = true
            isOutcomeUnknown = true
            urlError = .networkConnectionLost
        case .unreadable(let error):
            self.init(error, phase: .prepare)
            help = "what earlier runs have left of uploads is kept there"
        }
    }

    /// A fault of a server of resumable uploads.
    init(_ fault: UploadMachine.Fault, of upload: UploadMachine, phase: Phase) {
        switch fault {
        case .noURL:
            self.init("the server wants more of the upload and has not said where to", phase)
        case .noOffset:
            self.init("the server does not say how much it has of the upload", phase)
        case .wrongOffset(let offset):
            self.init(
                "the server says that it has \(offset) bytes of the upload, of \(upload.total) "
                    + "and after \(upload.confirmed)",
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
                detail: "the server does not know the upload any more (\(status)), "
                    + "and may have had all of it"
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
                    "the server answered \(status) when it was asked how much it has of the upload"
            )
            httpStatus = status
            urlError = .badServerResponse
            if status == 401 || status == 403 {
                help =
                    "a later run asks again; with `resumable: none` the body is sent anew, which the server may have"
            }
        }
    }

    private init(_ violation: String, _ phase: Phase) {
        self.init(kind: .protocolViolation, phase: phase, detail: violation)
        urlError = .badServerResponse
    }
}
