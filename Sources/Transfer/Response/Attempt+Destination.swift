internal import SystemKit
internal import TransferModel

/// Chooses the destination of an accepted body when the head is complete.
extension Attempt {
    /// Prepares the sink; false ends the transfer, because of a failure or a kept file whose body
    /// needs no check.
    func openSink(_ head: ResponseHead, expectedCount: Int64?) -> Bool {
        switch request.sink {
        // The engine's threads do not handle examinations.
        case .memory, .examination: return true
        case .checksums:
            response.sink.keep()
            return true
        case .file(let wanted):
            do throws(SystemError) {
                guard let file = try resolve(wanted, head) else { return false }
                if file.ifExists == .revalidate, !request.decodesBody, caching?.isKept(file) == true
                {
                    response.keepsFile = true
                    // The body is read only for its checks.
                    return response.bodyCheck?.looksAtBytes == true
                }
                response.destination = file
                return try open(file, head, expectedCount: expectedCount)
            } catch {
                failure = TransferFailure(error, phase: .receive)
                return false
            }
        }
    }

    /// The destination with its final name and checksum; nil ends the transfer.
    private func resolve(
        _ wanted: TaskSpec.Destination,
        _ head: ResponseHead
    ) throws(SystemError) -> TaskSpec.Destination? {
        var file = wanted
        if wanted.isFolder {
            let name = ServerFileName.choose(head, url: hop.url, mayName: context.mayName)
            file = wanted.appending(name)
            guard isFree(file) else { return nil }
        }
        if let claims = context.claims, let owner = try claims.claim(file, for: request.key) {
            failure = .destinationTaken(file.displayPath, by: owner)
            return nil
        }
        if case .listed(let list)? = wanted.checksum {
            guard let checksum = lookUp(list, for: file) else { return nil }
            file = file.expecting(checksum)
        }
        return file
    }

    /// Whether the body may use the name that the server chose.
    private func isFree(_ file: TaskSpec.Destination) -> Bool {
        guard !file.ifExists.mayReplace, case let occupant = PathOccupant(at: file.path),
            occupant != .nothing
        else { return true }
        if file.ifExists == .fail {
            failure = .destinationExists(file.displayPath, phase: .receive)
        } else if let fault = occupant.fault(at: file.path) {
            failure = TransferFailure(fault, phase: .receive)
        } else if file.checksum != nil {
            // The comparison with the present file needs the downloaded one.
            return true
        } else {
            response.isUnchanged = true
        }
        return false
    }

    /// The file's checksum in the list; a missing entry is a failure.
    ///
    /// The job's names come first and the server's last: a redirect must not choose the checksum.
    private func lookUp(_ list: SumsFile, for file: TaskSpec.Destination) -> Checksum? {
        let paths =
            list.name.map { [$0] } ?? [
                ServerFileName.path(of: request.request.url), file.path,
                ServerFileName.path(of: hop.url),
            ]
        let title = list.algorithm.title
        let subject = list.name ?? ServerFileName.lastSegment(of: request.request.url)
        var help: String? = "name the entry by `checksum.name`"
        let detail: String
        switch request.checksums?.find(list.algorithm, paths) ?? .missing {
        case .found(let checksum): return checksum
        case .missing where request.checksums?.isEmpty != false:
            detail = "\(list.url.text) is no list of checksums"
            help = nil
        case .missing: detail = "\(list.url.text) has no \(title) of \(TextExcerpt.of(subject))"
        case .ambiguous:
            detail = "\(list.url.text) has different \(title)s for \(TextExcerpt.of(subject))"
        }
        failure = TransferFailure(kind: .integrity, phase: .receive, detail: detail)
        failure?.isPermanent = true
        failure?.help = help
        return nil
    }
}
