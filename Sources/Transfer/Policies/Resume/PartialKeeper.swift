internal import SystemKit
internal import TransferModel

/// A part at its present length, to be synced and noted in its record.
struct PartialCheckpoint: Sendable {
    let partial: PartialDownload
    let length: Int64
    /// Whether to sync the part, if the run syncs files.
    let isSettled: Bool
}

/// Keeps parts of downloads and uploads for later runs, and finds those of earlier runs; one for
/// each engine thread.
final class PartialKeeper {
    /// A file with at least `leastTotal` bytes gets its part's name at once, a smaller one after
    /// `longestWait`.
    static let leastTotal: Int64 = 1 << 20
    static let longestWait = Duration.milliseconds(200)
    /// The time from the naming of a part to its first sync.
    static let firstInterval = Duration.seconds(1)
    /// The time between syncs: the most work that a power loss may cost.
    static let interval = Duration.seconds(5)
    /// Whether a text may be written into a file beside the destination; a secret may not.
    private let mayWrite: @Sendable (String) -> Bool
    /// nil when uploads are kept for this run only.
    private let uploads: UploadStore?
    /// Does the work that waits for the disk.
    private let publisher: Publisher
    private var folders = PartialFolders()
    /// Identifies this start of the machine; empty if unknown.
    private lazy var bootIdentifier = ProcessContext.bootIdentifier ?? ""

    init(
        mayWrite: @escaping @Sendable (String) -> Bool,
        uploads: UploadStore?,
        publisher: Publisher
    ) {
        self.mayWrite = mayWrite
        self.uploads = uploads
        self.publisher = publisher
    }

    /// Gives an attempt the upload that an earlier run left.
    func handOver(to request: inout AttemptRequest) {
        guard let upload = request.upload, upload.partial == nil else { return }
        let left = findUpload(request)
        let obstacle = left == nil ? obstacle(to: request) : nil
        request.upload?.partial = left
        request.upload?.obstacle = obstacle
    }

    /// Finds the part of the attempt's file that an earlier run left.
    ///
    /// It is searched once, before the first request for the file; later attempts receive the part.
    func find(
        _ request: borrowing AttemptRequest,
        _ credentials: [Credential]
    ) -> PartialDownload? {
        guard request.looksForPart, case .file(let file) = request.sink, !file.isAsked,
            // Called first, because it also removes leftovers of killed runs, whether or not parts
            // are kept.
            folders.mayHave(file), !file.isFolder, file.resume == .acrossRuns, request.mayResume,
            let names = PartialNames(of: file.name)
        else { return nil }
        return PartialDownload.find(
            names,
            of: file,
            urls: [request.request.url.text]
                + (file.checksum == nil ? [] : request.nextMirrors.map(\.text)),
            traits: RequestTraits(request.request.headers, credentials, file.checksum),
            bootIdentifier: bootIdentifier
        )
    }

    /// Gives a part its name, unless a secret would be written into its record.
    func keep(
        _ partial: PartialDownload,
        of request: borrowing AttemptRequest,
        _ credentials: [Credential]
    ) {
        guard case .file(let file) = request.sink,
            mayWrite(partial.url), mayWrite(partial.validator?.text ?? "")
        else { return }
        partial.keep(
            RequestTraits(request.request.headers, credentials, file.checksum),
            bootIdentifier: bootIdentifier
        )
    }

    /// Submits a note of the part, with a sync if it is settled.
    func checkpoint(_ partial: PartialDownload, isSettled: Bool = true) {
        // While the disk is slow, further notes are dropped, but syncs are queued.
        guard isSettled ? partial.isKept : partial.mayQueueCheckpoint() else { return }
        publisher.submit(
            PartialCheckpoint(partial: partial, length: partial.size, isSettled: isSettled)
        )
    }

    // MARK: Uploads

    /// Finds the upload that an earlier run left for a task; only before the first attempt.
    private func findUpload(_ request: borrowing AttemptRequest) -> PartialUpload? {
        guard request.number == 1, let upload = request.upload, upload.isKept,
            upload.partial == nil
        else { return nil }
        return uploads?.find(upload.id)
    }

    /// Why the upload that an earlier run may have left for a task cannot be determined.
    private func obstacle(to request: borrowing AttemptRequest) -> UploadObstacle? {
        guard request.number == 1, let upload = request.upload, upload.isKept else { return nil }
        return uploads?.obstacle(to: upload.id)
    }

    /// Waits until the record of a task's upload is written; returns whether it is on the disk.
    func isWritten(_ id: String) -> Bool { uploads?.isWritten(id) ?? false }

    /// Submits the record of an upload for writing, unless it contains a secret; false when no
    /// record can be kept.
    func keep(_ partial: PartialUpload, of id: String) -> Bool {
        guard let uploads, mayWrite(partial.url.text), uploads.keep(partial, of: id) else {
            return false
        }
        publisher.submitRecords()
        return true
    }

    /// The upload has ended and will not be resumed.
    func forgetUpload(of id: String) {
        uploads?.forget(id)
    }
}

extension AttemptRequest {
    /// Whether another attempt could resume the response of this one.
    ///
    /// False when the job itself requests a part, and for bodies that are decoded or checked as
    /// they arrive.
    var mayResume: Bool {
        request.method == "GET" && body == nil && !decodesBody && expectation.textEncoding == nil
            && !expectation.looksIntoBody
            && !request.headers.contains { field in
                let name = field.name.lowercased()
                return name == "range" || name.hasBytePrefix("if-")
            }
    }
}
