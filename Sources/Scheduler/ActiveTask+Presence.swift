import SystemKit
import Transfer
import TransferModel

/// The file at the destination of a download, before the task requests it.
extension ActiveTask {
    enum Presence {
        /// Next: `occupied` or `missing`.
        case unknown
        /// A file is there. Next: `examined`, or `missing` when the list has no checksum for it.
        case occupied
        /// The runner hashes the file. Next: `right` or `different`.
        case examined
        case right
        /// The file has another checksum and will be replaced.
        case different
        case missing
    }

    /// Whether a file with the checksum and the signature fulfils the task.
    var isMetByFile: Bool { spec.isMetByFile }

    /// What vouches for the file that the check has found right; nil for no such file.
    var presentVoucher: BodyVoucher? {
        presence == .right ? spec.destination?.presentVoucher : nil
    }

    /// Notes the occupant of the destination; nil when the task continues, else how it ends.
    mutating func meet(_ occupant: PathOccupant) -> Result<Void, TransferFailure>? {
        presence = occupant == .file && isMetByFile ? .occupied : .missing
        // A task that may replace a file looks at it again when its own file is whole.
        guard occupant != .nothing, presence == .missing, let destination = spec.destination,
            !destination.ifExists.mayReplace
        else { return nil }
        guard destination.ifExists == .skip else {
            return .failure(.destinationExists(destination.displayPath, phase: .prepare))
        }
        return occupant.fault(at: destination.path).map {
            .failure(TransferFailure($0, phase: .prepare))
        } ?? .success(())
    }

    /// Begins to hash the file; nil when the list has no checksum for it.
    mutating func examine(_ now: MonotonicTime) -> AttemptRequest? {
        guard let examination = FileExamination(of: spec, requesting: request.url, by: checksums)
        else {
            presence = .missing
            return nil
        }
        beginExamination(now)
        return AttemptRequest(
            key: spec.index,
            session: spec.session,
            number: max(number, 1),
            request: request,
            sink: .examination(examination),
            deadline: deadline
        )
    }
}

extension TaskSpec {
    /// Whether a file with the checksum and the signature fulfils the task.
    ///
    /// Not if the task expects more of the response than its size, captures from it, sends a
    /// request that may change the server, or makes a lock file; a file that is to be kept always
    /// suffices.
    var isMetByFile: Bool {
        guard let destination, destination.checksum != nil || destination.signature != nil,
            destination.lock != .making, !destination.isFolder
        else { return false }
        switch destination.ifExists {
        case .fail: return false
        case .skip: return true
        case .replace, .revalidate:
            let wanted = expectation
            return request.method == "GET" && body == nil && wanted.captures.isEmpty
                && wanted.headers.isEmpty && wanted.mimeTypes.isEmpty && wanted.json == nil
                && wanted.textEncoding == nil
        }
    }
}
