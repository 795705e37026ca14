internal import SystemKit
internal import TransferModel

// Carries out the decisions of `Resumption`.
extension Exchange {
    /// Requests the rest of a file of which an earlier attempt left a part.
    ///
    /// - Returns: Whether an earlier attempt left a part.
    @discardableResult
    func beginResuming() -> Bool {
        guard case .file(let wanted) = request.sink,
            let partial = request.partial ?? keeper.find(request, session.configuration.credentials)
        else { return false }
        let hasChecksum = wanted.checksum != nil
        let offer = partial.offer(to: request.request.url.text, hasChecksum: hasChecksum)
        resumption = Resumption(
            partial,
            offer,
            hasChecksum: hasChecksum,
            keepTime: wantsName ? .now : nil
        )
        guard let offer else { return true }
        hop.headers += offer.fields
        recorder.willResume()
        return true
    }

    /// Judges the response to a request for the rest; false ends the exchange, and a request for
    /// the whole file follows.
    func judgeRest(_ head: ResponseHead) -> Bool {
        guard let resumption else { return true }
        response.isCutOff = !resumption.judge(
            head,
            contentLength: response.contentLength,
            from: hop.url,
            needsMIMEType: !request.expectation.mimeTypes.isEmpty
        )
        return !response.isCutOff
    }

    /// Drops the part of an earlier attempt.
    func giveUpPart() {
        guard let resumption else { return }
        if resumption.offer != nil {
            hop.headers.removeAll { ["range", "if-range"].contains($0.name.lowercased()) }
        }
        resumption.startOver()
    }

    /// Prepares the sink for an accepted body: it is appended to the part or begins a new file.
    func open(
        _ file: TaskSpec.Destination,
        _ head: ResponseHead,
        expectedCount: Int64?
    ) throws(SystemError) -> Bool {
        if let resumption, resumption.isRest, let partial = resumption.partial {
            guard partial.path.hasSameBytes(as: file.path) else {
                resumption.mustAskForAll = true
                response.isCutOff = true
                return false
            }
            try partial.file.truncate(to: resumption.start)
            try response.sink.goOn(with: partial.file, in: partial.folder, as: file, expectedCount)
            return true
        }
        giveUpPart()
        try response.sink.open(file, expectedCount: expectedCount)
        switch response.sink.content {
        case .file(let output, let folder):
            if response.servedLength == nil, isResumable(head, file) {
                noteResumable(output, folder, file, head)
            }
        case .memory:
            // Whether the body is resumable is checked later: nearly all small bodies arrive at
            // once.
            if wantsName, expectedCount ?? 0 > 0 {
                let time = session.turn.time + PartialKeeper.longestWait
                response.partTime = time
                session.turn.look(at: time)
            }
        }
        return true
    }

    /// Moves a small resumable body from memory into a part.
    private func spill() {
        guard !hasFailed || failure?.endsResuming == false && failure?.kind != .cancelled,
            resumption == nil, case .accept = verdict, response.servedLength == nil,
            let head, let destination = response.destination, isResumable(head, destination)
        else { return }
        // When the disk has no room, the body stays in memory.
        guard (try? response.sink.spill()) != nil,
            case .file(let output, let folder) = response.sink.content
        else {
            return
        }
        noteResumable(output, folder, destination, head)
    }

    /// Does the work on the part that is due at a time, even if no bytes arrive.
    func lookAtPart(at now: MonotonicTime) {
        if let time = response.partTime {
            if now >= time {
                spill()
                response.partTime = response.sink.isEmpty ? now + PartialKeeper.longestWait : nil
                resumption?.keep(from: now)
            }
            if let partTime = response.partTime { session.turn.look(at: partTime) }
        }
        if let resumption { keepPart(resumption, at: now) }
    }

    /// Makes the file that is being written resumable by another attempt.
    private func noteResumable(
        _ output: OutputFile,
        _ folder: Folder,
        _ file: TaskSpec.Destination,
        _ head: ResponseHead
    ) {
        let validator = ResumeValidator(head, now: context.clock.timestamp(of: .now))
        guard validator != nil || file.checksum != nil, let total = response.contentLength else {
            return
        }
        let partial = PartialDownload(
            file: output,
            folder: folder,
            path: file.path,
            url: request.request.url.text,
            source: .url(hop.url.withoutSignature),
            validator: validator,
            total: total,
            // The next run does not know the server's file name before its request.
            names: wantsName ? PartialNames(of: file.name) : nil
        )
        let wait = total >= PartialKeeper.leastTotal ? .zero : PartialKeeper.longestWait
        resumption = Resumption(
            partial,
            hasChecksum: file.checksum != nil,
            keepTime: wantsName ? .now + wait : nil
        )
    }

    /// Whether later runs are to find the part.
    private var wantsName: Bool {
        guard case .file(let wanted) = request.sink else { return false }
        return wanted.resume == .acrossRuns && !wanted.isFolder
    }

    /// Whether another attempt could resume the body of a complete response.
    private func isResumable(_ head: ResponseHead, _ file: TaskSpec.Destination) -> Bool {
        file.resume != .nothing && request.mayResume
            && Resumption.isPossible(for: head, contentLength: response.contentLength)
    }

    /// Keeps the received bytes for later runs when that is due.
    func keepPart(_ resumption: Resumption, at now: MonotonicTime) {
        if let step = resumption.step(at: now, age: now - startTime) { perform(step) }
        if let time = resumption.nextTime { session.turn.look(at: time) }
    }

    private func perform(_ step: Resumption.Step) {
        switch step {
        case .keep(let partial):
            keeper.keep(partial, of: request, session.configuration.credentials)
        case .note(let partial, let isSettled): keeper.checkpoint(partial, isSettled: isSettled)
        }
    }

    /// The part that is left for the next attempt or for the publication, and the offset at which
    /// this attempt resumed.
    func resumeOutcome() -> ResumeOutcome? {
        guard let failure else { return resumption?.outcome }
        spill()
        guard let resumption else { return nil }
        resumption.end(
            after: failure,
            at: request.request.url.text,
            hasMirror: !request.nextMirrors.isEmpty
        )
        for step in resumption.lastSteps { perform(step) }
        return resumption.outcome
    }
}
