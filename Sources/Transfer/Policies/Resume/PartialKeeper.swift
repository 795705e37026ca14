internal import SystemKit
internal import TransferModel

/// A part as far as it is there now, to be synced and noted in its record.
struct PartialCheckpoint: Sendable {
    /// What a note of a part survives.
    enum Reach: Int, Comparable {
        /// The end of the process.
        case process
        /// As much as the files of the run do: without syncing, a restart of the machine that
        /// writes everything first.
        case restart
        case powerLoss

        static func < (left: Reach, right: Reach) -> Bool { left.rawValue < right.rawValue }
    }

    let partial: PartialDownload
    let length: Int64
    /// Whether it is to be synced, where files are.
    let isSettled: Bool
}

/// Keeps parts of downloads and uploads for later runs and finds those that earlier ones have left;
/// one for each engine thread.
final class PartialKeeper {
    /// The part of a file that has so many bytes is given a name at once, that of another one when
    /// it has taken so long.
    static let leastTotal: Int64 = 1 << 20
    static let longestWait = Duration.milliseconds(200)
    /// How long after it has its name a part is synced for the first time.
    static let firstInterval = Duration.seconds(1)
    /// How much time a power loss may cost.
    static let interval = Duration.seconds(5)
    /// Whether a text may stand in a file beside the destination; a secret may not.
    private let mayWrite: @Sendable (String) -> Bool
    /// nil when uploads are for this run only.
    private let uploads: UploadStore?
    /// Takes on what waits for the disk.
    private let publisher: Publisher
    private var folders = PartialFolders()
    /// Of this start of the machine.
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

    /// Hands an attempt what an earlier run has left of its upload.
    func handOver(to request: inout AttemptRequest) {
        guard let upload = request.upload, upload.partial == nil else { return }
        let left = findUpload(request)
        let obstacle = left == nil ? obstacle(to: request) : nil
        request.upload?.partial = left
        request.upload?.obstacle = obstacle
    }

    /// What an earlier run has left of the file that the attempt is for.
    ///
    /// Looked for once, before the file is asked for; what comes later is handed on.
    func find(
        _ request: borrowing AttemptRequest,
        _ credentials: [Credential]
    ) -> PartialDownload? {
        guard request.looksForPart, case .file(let file) = request.sink,
            // First: whether or not parts are kept, a killed run may have left something in the
            // folder.
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

    /// Gives a part its name, unless a secret stands in what would be written down.
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

    /// Has what is there of a part noted, and synced if it is to be settled.
    func checkpoint(_ partial: PartialDownload, isSettled: Bool = true) {
        // A disk that is slow to take notes gets no more of them; what is to be synced waits its
        // turn.
        guard isSettled ? partial.isKept : partial.mayQueueCheckpoint() else { return }
        publisher.submit(
            PartialCheckpoint(partial: partial, length: partial.size, isSettled: isSettled)
        )
    }

    // MARK: Uploads

    /// What an earlier run has left of a task's upload; looked for before the first attempt.
    private func findUpload(_ request: borrowing AttemptRequest) -> PartialUpload? {
        guard request.number == 1, let upload = request.upload, upload.isKept,
            upload.partial == nil
        else { return nil }
        return uploads?.find(upload.id)
    }

    /// Why nobody can tell what an earlier run has left of a task's upload.
    private func obstacle(to request: borrowing AttemptRequest) -> UploadObstacle? {
        guard request.number == 1, let upload = request.upload, upload.isKept else { return nil }
        return uploads?.obstacle(to: upload.id)
    }

    /// Whether the record of a task's upload is on the disk, which is waited for.
    func isWritten(_ id: String) -> Bool { uploads?.isWritten(id) ?? false }

    /// Has a record of an upload written, unless a secret stands in it; false when none can be
    /// kept.
    func keep(_ partial: PartialUpload, of id: String) -> Bool {
        guard let uploads, mayWrite(partial.url.text), uploads.keep(partial, of: id) else {
            return false
        }
        publisher.submitRecords()
        return true
    }

    /// The upload has ended, and nobody is to go on with it.
    func forgetUpload(of id: String) {
        uploads?.forget(id)
    }
}

extension AttemptRequest {
    /// Whether another attempt could go on with what comes of it.
    ///
    /// Not where the job itself asks for a part, nor with what is decoded or looked into as it
    /// comes.
    var mayResume: Bool {
        request.method == "GET" && body == nil && !decodesBody && expectation.textEncoding == nil
            && !expectation.looksIntoBody
            && !request.headers.contains { field in
                let name = field.name.lowercased()
                return name == "range" || name.hasPrefix("if-")
            }
    }
}
