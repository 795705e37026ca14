import SystemKit
import Transfer
import TransferModel

/// What is there of a download that has a checksum, before it is asked for.
extension ActiveTask {
    /// How far it is known.
    enum Presence {
        /// Nobody has looked. Next: `occupied` or `missing`.
        case unknown
        /// A file is there. Next: `examined`, or `missing` when there is nothing to hold it
        /// against.
        case occupied
        /// The file is hashed. Next: `right` or `different`.
        case examined
        case right
        /// Another file is there, which gives way.
        case different
        case missing
    }

    /// Whether a file that is there and has the checksum is all that the task wants.
    ///
    /// Not where something is expected of the response besides its size, or captured from it, and
    /// not where the request may do more than bring the file; unless such a file is to be kept
    /// unasked.
    var isMetByFile: Bool {
        guard let destination = spec.destination, destination.checksum != nil,
            !destination.isFolder
        else { return false }
        switch destination.ifExists {
        case .fail: return false
        case .skip: return true
        case .replace, .revalidate:
            let wanted = spec.expectation
            return spec.request.method == "GET" && spec.body == nil && wanted.captures.isEmpty
                && wanted.headers.isEmpty && wanted.mimeTypes.isEmpty && wanted.json == nil
                && wanted.textEncoding == nil
        }
    }

    /// What the file that is there is held against; nil when the list of checksums has none for it.
    private var examination: FileExamination? {
        guard let destination = spec.destination else { return nil }
        let checksum: Checksum? =
            switch destination.checksum {
            case .digest(let checksum): checksum
            case .listed(let list): checksums?.checksum(in: list, of: request.url, destination)
            case nil: nil
            }
        return checksum.map {
            FileExamination(destination, $0, maximumSize: spec.expectation.maximumSize)
        }
    }

    /// Takes in what is at the destination; nil when the task continues, else how it ends.
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

    /// Begins to hash the file that is there; nil when there is nothing to hold it against.
    mutating func examine(_ now: MonotonicTime) -> AttemptRequest? {
        guard let examination else {
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
