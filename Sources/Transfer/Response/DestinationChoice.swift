internal import SystemKit
internal import TransferModel

/// Chooses the destination of an accepted body when the head is complete.
enum DestinationChoice {
    /// The destination with its final name and checksum; nil when a file with the server's name
    /// stays.
    static func file(
        _ wanted: TaskSpec.Destination,
        for head: ResponseHead,
        from url: TransferURL,
        _ request: borrowing AttemptRequest,
        _ claims: DestinationClaims?,
        _ written: (any WrittenFileRecord)?,
        mayName: (String) -> Bool
    ) throws(TransferFailure) -> TaskSpec.Destination? {
        // Before the body, which would arrive in vain.
        if !wanted.isAsked, let failure = wanted.signature?.missingFile(phase: .receive) {
            throw failure
        }
        var file = wanted
        var isNamedByServer = false
        if wanted.isFolder {
            let name = ServerFileName.choose(head, url: url, mayName: mayName)
            let own = ServerFileName.safe(ServerFileName.lastSegment(of: request.request.url))
            isNamedByServer = own?.hasSameBytes(as: name) != true
            file = wanted.appending(name, isOfURL: !isNamedByServer)
            guard try isFree(file) else { return nil }
        }
        let isForeign =
            file.replacesOnlyOwn && PathOccupant(at: file.path) != .nothing
            && written?.hasFile(at: file.path, of: request.key) != true
        if let claims {
            let owner: String?
            do throws(SystemError) {
                // Another task may have permission to replace a foreign file.
                owner = try claims.claim(file, for: request.key, mayWrite: !isForeign)
            } catch {
                throw TransferFailure(error, phase: .receive)
            }
            if let owner { throw .destinationTaken(file.displayPath, by: owner) }
        }
        if isForeign {
            let peer = isNamedByServer ? "the server" : "a captured value"
            throw .foreignFile(file.displayPath, named: peer)
        }
        guard case .listed(let list)? = wanted.checksum else { return file }
        let first = request.request.url
        return file.expecting(try checksum(of: file, in: list, request.checksums, first, url))
    }

    /// Whether the body may use the name that the server chose; otherwise the present file stays.
    private static func isFree(_ file: TaskSpec.Destination) throws(TransferFailure) -> Bool {
        guard !file.ifExists.mayReplace, case let occupant = PathOccupant(at: file.path),
            occupant != .nothing
        else { return true }
        if file.ifExists == .fail { throw .destinationExists(file.displayPath, phase: .receive) }
        if let fault = occupant.fault(at: file.path) {
            throw TransferFailure(fault, phase: .receive)
        }
        // The comparison with the present file needs the downloaded one.
        return file.checksum != nil || file.signature != nil
    }

    /// The file's checksum in the list; a missing entry is a failure.
    ///
    /// The job's names come first and the server's last: a redirect must not choose the checksum.
    private static func checksum(
        of file: TaskSpec.Destination,
        in list: SumsFile,
        _ checksums: ChecksumList?,
        _ first: TransferURL,
        _ url: TransferURL
    ) throws(TransferFailure) -> Checksum {
        let paths =
            list.name.map { [$0] } ?? [
                ServerFileName.path(of: first), file.path, ServerFileName.path(of: url),
            ]
        let title = list.algorithm.title
        let subject = list.name ?? ServerFileName.lastSegment(of: first)
        var help: String? = "name the entry by `checksum.name`"
        let detail: String
        switch checksums?.find(list.algorithm, paths) ?? .missing {
        case .found(let checksum): return checksum
        case .missing where checksums?.isEmpty != false:
            detail = "\(list.url.text) is not a list of checksums"
            help = nil
        case .missing: detail = "\(list.url.text) has no \(title) of \(TextExcerpt.of(subject))"
        case .ambiguous:
            detail = "\(list.url.text) has different \(title)s for \(TextExcerpt.of(subject))"
        }
        var failure = TransferFailure(kind: .integrity, phase: .receive, detail: detail)
        failure.isPermanent = true
        failure.help = help
        throw failure
    }
}
