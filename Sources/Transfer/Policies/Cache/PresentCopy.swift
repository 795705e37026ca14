internal import CurlKit
internal import HTTPCache
internal import SystemKit
internal import TransferModel

/// The file at a download's destination, which may already have the body of a stored response.
struct PresentCopy {
    private enum Content {
        case unseen
        case different
        /// The file has the served body; the digest is of the algorithm of the task's checksum.
        case same(InputFile, digest: [UInt8]?)
    }

    let path: String
    /// The algorithm of the task's checksum; nil without one.
    var algorithm: Checksum.Algorithm?
    private var content = Content.unseen

    init(path: String, algorithm: Checksum.Algorithm? = nil) {
        self.path = path
        self.algorithm = algorithm
    }

    /// Prepares for another served response.
    mutating func forget() { content = .unseen }

    /// Notes that the file has another body.
    mutating func isDifferent() { content = .different }

    /// Notes that the file has the served body.
    mutating func isSame(_ file: InputFile, digest: [UInt8]?) {
        content = .same(file, digest: digest)
    }

    /// The file, if it has the length of a stored body; nil otherwise.
    func file(like stored: StoredResponse.Body) -> InputFile? {
        guard let file = try? InputFile(path: path, followsLink: false),
            file.identity.size == stored.length
        else { return nil }
        return file
    }

    /// Begins to compare a long file with a stored body; nil without a file of its length.
    func check(_ stored: StoredResponse.Body) -> StoredBodyCheck? {
        file(like: stored).map { StoredBodyCheck(of: $0, stored, algorithm) }
    }

    /// The body from the file; nil when the file has another one.
    mutating func body(_ stored: StoredResponse.Body) -> StoredBody? {
        guard let file = file(like: stored), StoredBody.file(file).isIntact(stored) else {
            content = .different
            return nil
        }
        content = .same(file, digest: nil)
        return .file(file)
    }

    /// Whether the file has a stored body, and the mode and checksum that the task requires.
    func isKept(as wanted: TaskSpec.Destination, _ stored: StoredResponse.Body) -> Bool {
        if let folder = wanted.archiveFolder {
            guard (try? Folder(path: folder.path, create: false)) != nil else { return false }
        }
        let present: InputFile
        var known: [UInt8]?
        switch content {
        case .same(let file, let digest): (present, known) = (file, digest)
        case .different: return false
        case .unseen:
            guard let file = try? InputFile(path: wanted.path, followsLink: false),
                StoredBody.file(file).isIntact(stored)
            else { return false }
            present = file
        }
        guard wanted.mode == nil || wanted.mode == present.permissions else { return false }
        guard case .digest(let expected)? = wanted.checksum else { return true }
        if let known { return known == expected.digest }
        guard let digest = MessageDigest(expected.algorithm.family) else { return false }
        let isRead = try? StoredBody.file(present).forEachPiece(count: stored.length) {
            digest.update($0)
            return true
        }
        return isRead == true && digest.finish() == expected.digest
    }
}
