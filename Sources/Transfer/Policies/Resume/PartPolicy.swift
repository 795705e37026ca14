internal import SystemKit
internal import TransferModel

/// Resumes the part of a file that an earlier attempt left, and keeps the received bytes for other
/// attempts and runs.
struct PartPolicy {
    /// nil when nothing is resumed and nothing is left to resume.
    private(set) var resumption: Resumption?
    /// The exchange's part in a download over several connections; nil for one connection.
    private(set) var segment: (any SegmentPart)?
    /// Why one connection fetches the rest of a file that several have begun; nil otherwise.
    private(set) var refusal: String?
    /// The requests for parts that have left.
    private(set) var segmentRequests = 0
    let keeper: PartialKeeper
    private let session: SessionTransport
    private let startTime: MonotonicTime

    init(_ keeper: PartialKeeper, _ session: SessionTransport, startTime: MonotonicTime) {
        self.keeper = keeper
        self.session = session
        self.startTime = startTime
    }

    /// The offset at which the body of the response begins; 0 for a whole one.
    var start: Int64 { resumption?.start ?? 0 }
    /// Whether the response has the rest of a file.
    var isRest: Bool { start > 0 }
    /// The digest that the first response announced, if this response has the rest of its file: a
    /// digest announced with the rest cannot vouch for the beginning.
    var announcedDigest: Checksum? { isRest ? resumption?.partial?.announced : nil }
    /// The request that follows a useless response to one for the rest; nil for none.
    var repetition: Resumption.Repetition? { resumption?.repetition }

    /// Looks for the part of a file that an earlier attempt left.
    ///
    /// - Returns: Whether there is a part; its offer is in `resumption`.
    mutating func begin(_ request: borrowing AttemptRequest) -> Bool {
        guard case .file(let wanted) = request.sink,
            let partial = request.partial ?? keeper.find(request, session.configuration.credentials)
        else { return false }
        resume(partial, as: wanted, for: request)
        return true
    }

    /// Makes the exchange part of a download over several connections; nil for one connection.
    mutating func join(_ segment: (any SegmentPart)?) { self.segment = segment }

    /// Notes that a request for a part of the file leaves.
    mutating func willRequestSegment() { segmentRequests += 1 }

    /// Ends the fetching of parts, for that reason: one connection fetches the rest.
    ///
    /// - Returns: Whether there is a beginning that a request can continue.
    mutating func endSegments(for request: borrowing AttemptRequest, _ refusal: String) -> Bool {
        self.refusal = refusal
        segment = nil
        guard case .file(let wanted) = request.sink, let partial = resumption?.partial
        else { return false }
        resume(partial, as: wanted, for: request)
        return resumption?.offer != nil
    }

    private mutating func resume(
        _ partial: PartialDownload,
        as wanted: TaskSpec.Destination,
        for request: borrowing AttemptRequest
    ) {
        let hasChecksum = wanted.checksum != nil
        resumption = Resumption(
            partial,
            partial.offer(to: request.request.url.text, hasChecksum: hasChecksum),
            hasChecksum: hasChecksum,
            keepTime: request.keepsNamedPart ? .now : nil
        )
    }

    /// Drops the part of an earlier attempt, and requests the whole file.
    func giveUp(_ hop: inout RequestSpec) {
        guard let resumption else { return }
        if resumption.offer != nil { removeOffer(from: &hop) }
        resumption.startOver()
    }

    /// Requests the rest once more, by the fields of the new offer.
    func askAgain(_ hop: inout RequestSpec) {
        removeOffer(from: &hop)
        hop.headers += resumption?.offer?.fields ?? []
    }

    private func removeOffer(from hop: inout RequestSpec) {
        hop.headers.removeAll { ResumeOffer.fieldNames.contains($0.name.lowercased()) }
    }

    /// Prepares the sink for an accepted body: it is appended to the part or begins a new file.
    ///
    /// - Returns: False when the part has another path, so that the whole file is requested.
    mutating func open(
        _ file: TaskSpec.Destination,
        from url: TransferURL,
        for request: borrowing AttemptRequest,
        _ response: inout ResponseIntake
    ) throws(SystemError) -> Bool {
        let expectedCount = response.expectedCount
        if let resumption, isRest, let partial = resumption.partial {
            guard partial.path.hasSameBytes(as: file.path) else {
                resumption.wantWholeFile()
                response.isCutOff = true
                return false
            }
            try partial.file.truncate(to: resumption.start)
            if file.segments == nil { try partial.dropLoose() }
            try response.sink.goOn(with: partial.file, in: partial.folder, as: file, expectedCount)
            return true
        }
        try response.sink.open(file, expectedCount: expectedCount)
        if case .file(let output, let folder) = response.sink.content {
            note(output, folder, file, from: url, for: request, response)
        } else if request.keepsNamedPart, expectedCount ?? 0 > 0 {
            // Whether the body is resumable is checked later: nearly all small bodies arrive at
            // once.
            let time = session.turn.time + PartialKeeper.longestWait
            response.partTime = time
            session.turn.look(at: time)
        }
        return true
    }

    /// Makes the file that is being written resumable by another attempt, if that is possible.
    private mutating func note(
        _ output: OutputFile,
        _ folder: Folder,
        _ file: TaskSpec.Destination,
        from url: TransferURL,
        for request: borrowing AttemptRequest,
        _ response: borrowing ResponseIntake
    ) {
        guard let head = response.head, let total = response.contentLength,
            isResumable(file, for: request, response)
        else { return }
        let now = session.context.clock.timestamp(of: .now)
        let validator =
            url.isOfFileServer
            ? ResumeValidator(ofFile: head, now: now) : ResumeValidator(head, now: now)
        guard validator != nil || file.checksum != nil else { return }
        let isNamed = request.keepsNamedPart
        let partial = PartialDownload(
            file: output,
            folder: folder,
            path: file.path,
            url: request.request.url.text,
            source: .url(url.resource(under: validator)),
            validator: validator,
            total: total,
            announced: response.announcedDigest(to: request.request.method, isRest: false),
            // The next run does not know the server's file name before its request.
            names: isNamed ? PartialNames(of: file.name) : nil
        )
        let wait = total >= PartialKeeper.leastTotal ? .zero : PartialKeeper.longestWait
        resumption = Resumption(
            partial,
            hasChecksum: file.checksum != nil,
            keepTime: isNamed ? .now + wait : nil
        )
    }

    /// Whether another attempt could resume the body of a complete response from the network.
    private func isResumable(
        _ file: TaskSpec.Destination,
        for request: borrowing AttemptRequest,
        _ response: borrowing ResponseIntake
    ) -> Bool {
        guard response.servedLength == nil, let head = response.head else { return false }
        return file.resume != .nothing && request.mayResume
            && Resumption.isPossible(for: head, contentLength: response.contentLength)
    }

    /// Moves a small resumable body from memory into a part.
    private mutating func spill(
        after failure: TransferFailure?,
        from url: TransferURL,
        for request: borrowing AttemptRequest,
        _ response: inout ResponseIntake
    ) {
        if let failure, failure.endsResuming || failure.kind == .cancelled { return }
        guard resumption == nil, case .accept = response.verdict,
            let destination = response.destination, isResumable(destination, for: request, response)
        else { return }
        // When the disk has no room, the body stays in memory.
        guard (try? response.sink.spill()) != nil,
            case .file(let output, let folder) = response.sink.content
        else { return }
        note(output, folder, destination, from: url, for: request, response)
    }

    /// Does the work on a body in memory that is due at a time.
    mutating func look(
        at now: MonotonicTime,
        after failure: TransferFailure?,
        from url: TransferURL,
        for request: borrowing AttemptRequest,
        _ response: inout ResponseIntake
    ) {
        guard let time = response.partTime else { return }
        if now >= time {
            spill(after: failure, from: url, for: request, &response)
            response.partTime = response.sink.isEmpty ? now + PartialKeeper.longestWait : nil
            resumption?.keep(from: now)
        }
        if let partTime = response.partTime { session.turn.look(at: partTime) }
    }

    /// The work on the part that is due at a time.
    func step(at now: MonotonicTime) -> Resumption.Step? {
        guard let resumption else { return nil }
        if let segment, resumption.mayStep(at: now) {
            resumption.partial?.setLoose(segment.looseRanges)
        }
        let step = resumption.step(at: now, age: now - startTime)
        if let time = resumption.nextTime { session.turn.look(at: time) }
        return step
    }

    /// Keeps or notes the part for later runs.
    func perform(_ step: Resumption.Step, for request: borrowing AttemptRequest) {
        switch step {
        case .keep(let partial):
            keeper.keep(partial, of: request, session.configuration.credentials)
        case .note(let partial, let isSettled): keeper.checkpoint(partial, isSettled: isSettled)
        }
    }

    /// The part that is left for the next attempt or for the publication, and the offset at which
    /// this attempt resumed.
    mutating func outcome(
        after failure: TransferFailure?,
        from url: TransferURL,
        for request: borrowing AttemptRequest,
        _ response: inout ResponseIntake
    ) -> ResumeOutcome? {
        guard let failure else { return resumption?.outcome }
        spill(after: failure, from: url, for: request, &response)
        guard let resumption else { return nil }
        resumption.end(
            after: failure,
            at: request.request.url.text,
            hasMirror: !request.nextMirrors.isEmpty
        )
        for step in resumption.lastSteps { perform(step, for: request) }
        return resumption.outcome
    }
}

extension AttemptRequest {
    /// Whether later runs are to find the part.
    fileprivate var keepsNamedPart: Bool {
        guard case .file(let wanted) = sink else { return false }
        return wanted.resume == .acrossRuns && !wanted.isFolder
    }
}
