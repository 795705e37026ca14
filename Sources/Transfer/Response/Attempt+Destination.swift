internal import SystemKit
package import TransferModel

/// Where an accepted body goes, decided when the head is whole.
extension Attempt {
    /// Readies the sink; false ends the transfer, for a failure or because the file is there and is
    /// kept, and nobody looks at the body.
    func openSink(_ head: ResponseHead, expectedCount: Int64?) -> Bool {
        switch request.sink {
        // An examination is none of the engine's threads.
        case .memory, .examination: return true
        case .checksums:
            response.sink.keep()
            return true
        case .file(let wanted):
            do throws(SystemError) {
                guard let file = try resolve(wanted, head) else { return false }
                if isKept(file) {
                    response.keepsFile = true
                    // It is read only for what is expected of it.
                    return response.bodyCheck?.looksAtBytes == true
                }
                destination = file
                return try open(file, head, expectedCount: expectedCount)
            } catch {
                failure = TransferFailure(error, phase: .receive)
                return false
            }
        }
    }

    /// The destination with the name and the checksum that are known by now; nil ends the transfer.
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

    /// The digest that the server gives of what is stored; what was decoded is something else.
    var announcedDigest: Checksum? {
        let isRest = resumption?.isRest == true
        guard destination != nil, response.decoding == nil, hop.method != "HEAD", let head,
            // A digest of the whole says nothing of a part that the task has asked for, nor of what
            // is not sent.
            head.statusCode == 206 ? isRest : !head.hasNoContent
        else { return nil }
        return ReprDigest.announced(in: head.fields, isWhole: !isRest)
    }

    /// Whether the body may get the name that the server gave it.
    private func isFree(_ file: TaskSpec.Destination) -> Bool {
        guard !file.ifExists.mayReplace, case let occupant = PathOccupant(at: file.path),
            occupant != .nothing
        else { return true }
        if file.ifExists == .fail {
            failure = .destinationExists(file.displayPath, phase: .receive)
        } else if let fault = occupant.fault(at: file.path) {
            failure = TransferFailure(fault, phase: .receive)
        } else if file.checksum != nil {
            // Whether it is the file that is wanted is seen when there is one to put in its place.
            return true
        } else {
            isUnchanged = true
        }
        return false
    }

    /// The file's checksum in the list; a list without it is a failure.
    ///
    /// The job's own words go first, the server's last: who redirects must not choose what a file
    /// is held against.
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

extension TransferFailure {
    /// A download that must not replace what is there.
    package static func destinationExists(_ path: String, phase: Phase) -> TransferFailure {
        var failure = TransferFailure(
            kind: .localIO,
            phase: phase,
            detail: "the destination `\(path)` exists and `ifExists` is `fail`"
        )
        failure.osErrno = SystemError.taken
        failure.urlError = .cannotCreateFile
        failure.isPermanent = true
        failure.isKnownUnprocessed = phase == .prepare
        failure.help = "remove the file, or set `ifExists` to `replace` or `skip`"
        return failure
    }

    /// A download whose name belongs to another task, or to a file that the run needs.
    fileprivate static func destinationTaken(_ path: String, by owner: String) -> TransferFailure {
        var failure = TransferFailure(
            kind: .localIO,
            phase: .receive,
            detail: "`\(path)` belongs to \(owner)"
        )
        failure.osErrno = SystemError.taken
        failure.urlError = .cannotCreateFile
        failure.isPermanent = true
        failure.help = "give the download a file or a folder of its own in `to`"
        return failure
    }
}
