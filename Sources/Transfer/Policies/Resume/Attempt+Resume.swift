internal import SystemKit
internal import TransferModel

/// Downloads that go on where an earlier attempt was cut.
extension Attempt {
    /// Asks for the rest of what an earlier attempt has left, where that may be gone on with.
    ///
    /// - Returns: Whether one has left anything.
    @discardableResult
    func beginResuming() -> Bool {
        guard case .file(let wanted) = request.sink,
            let partial = request.partial ?? keeper.find(request, session.configuration.credentials)
        else { return false }
        let offer = partial.offer(
            to: request.request.url.text,
            hasChecksum: wanted.checksum != nil
        )
        let resumption = Resumption(partial, offer)
        self.resumption = resumption
        if wantsName {
            let now = MonotonicTime.now
            resumption.keeping = .due(now)
            if partial.isKept {
                resumption.didKeep(vouched: partial.size, at: now, syncIn: PartialKeeper.interval)
            }
        }
        guard let offer else { return true }
        hop.headers += offer.fields
        recorder.willResume()
        return true
    }

    /// Looks at the answer to a request for the rest; false ends the exchange, and everything is
    /// asked for.
    func judgeRest(_ head: ResponseHead) -> Bool {
        guard let resumption, let offer = resumption.offer else { return true }
        switch ResumeAnswer.judge(head, contentLength: response.contentLength, to: offer) {
        case .rest where !request.expectation.mimeTypes.isEmpty && head.mimeType == nil:
            // A part may leave it out, and there is nothing to judge by.
            return askForAll()
        case .rest where !isSurelyTheSame(resumption): return askForAll()
        case .rest(let end):
            resumption.willReceiveRest(to: end)
            return true
        case .whole, .unrelated: return true
        case .unusable: return askForAll()
        }
    }

    /// Whether the rest is of the file that the part is of: validators tell versions of one URL
    /// apart, not those of two (RFC 9110 §8.8.3); a redirect may lead elsewhere by now.
    private func isSurelyTheSame(_ resumption: Resumption) -> Bool {
        if case .file(let wanted) = request.sink, wanted.checksum != nil { return true }
        return resumption.partial?.isFrom(hop.url.withoutSignature) == true
    }

    /// Ends the exchange, because its answer cannot be gone on with.
    func askForAll() -> Bool {
        resumption?.mustAskForAll = true
        response.isCutOff = true
        return false
    }

    /// The same request without a range.
    func startOver() -> Next {
        giveUpPart()
        checks = []
        return exchange(.restart)
    }

    /// Forgets what an earlier attempt has left.
    private func giveUpPart() {
        guard let resumption else { return }
        if resumption.offer != nil {
            hop.headers.removeAll { ["range", "if-range"].contains($0.name.lowercased()) }
        }
        resumption.startOver()
    }

    /// Readies the sink for a body that is accepted: behind the part that is there, or anew.
    func open(
        _ file: TaskSpec.Destination,
        _ head: ResponseHead,
        expectedCount: Int64?
    ) throws(SystemError) -> Bool {
        if let resumption, resumption.isRest, let partial = resumption.partial {
            guard partial.path.hasSameBytes(as: file.path) else { return askForAll() }
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
            // Whether it is resumable is asked when it matters: nearly all small bodies come at
            // once.
            if wantsName, expectedCount ?? 0 > 0 {
                let time = session.turn.time + PartialKeeper.longestWait
                response.partTime = time
                session.turn.look(at: time)
            }
        }
        return true
    }

    /// Makes a part of a small body that is in memory and could be gone on with.
    private func spill() {
        guard !hasFailed || failure?.endsResuming == false && failure?.kind != .cancelled,
            resumption == nil, case .accept = verdict, response.servedLength == nil,
            let head, let destination = response.destination, isResumable(head, destination)
        else { return }
        // Without room for it the body stays in memory.
        guard (try? response.sink.spill()) != nil,
            case .file(let output, let folder) = response.sink.content
        else {
            return
        }
        noteResumable(output, folder, destination, head)
    }

    /// Does what is due about the part although nothing comes in.
    func lookAtPart(at now: MonotonicTime) {
        if let time = response.partTime {
            if now >= time {
                spill()
                response.partTime = response.sink.isEmpty ? now + PartialKeeper.longestWait : nil
                resumption?.keeping = .due(now)
            }
            if let partTime = response.partTime { session.turn.look(at: partTime) }
        }
        if let resumption { keepPart(resumption, at: now) }
    }

    /// Makes the file that is being written one that another attempt can go on with.
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
            // A name that a server gave is not known to the next run before it asks.
            names: wantsName ? PartialNames(of: file.name) : nil
        )
        resumption = Resumption(partial)
        guard wantsName else { return }
        let wait = total >= PartialKeeper.leastTotal ? .zero : PartialKeeper.longestWait
        resumption?.keeping = .due(.now + wait)
    }

    /// Whether the part is to be found by later runs.
    private var wantsName: Bool {
        guard case .file(let wanted) = request.sink else { return false }
        return wanted.resume == .acrossRuns && !wanted.isFolder
    }

    /// Whether another attempt could go on with the body of a whole response.
    private func isResumable(_ head: ResponseHead, _ file: TaskSpec.Destination) -> Bool {
        file.resume != .nothing && head.statusCode == 200 && request.mayResume
            && response.contentLength != nil && !head.hasContentCoding
            && head.fields["accept-ranges"]?.lowercased() != "none"
    }

    /// Keeps what has come in by now for later runs, when it is time to.
    func keepPart(_ resumption: Resumption, at now: MonotonicTime) {
        guard let partial = resumption.partial else { return }
        switch resumption.keeping {
        case .never: return
        case .due(let time):
            guard now >= time, partial.size > 0 else { break }
            keeper.keep(partial, of: request, session.configuration.credentials)
            resumption.didKeep(vouched: 0, at: now, syncIn: PartialKeeper.firstInterval)
        case .kept:
            guard let isSettled = resumption.takeNote(age: now - startTime, at: now) else { break }
            keeper.checkpoint(partial, isSettled: isSettled)
        }
        if let time = resumption.nextTime { session.turn.look(at: time) }
    }

    /// Fails when more has come than the range that the response announced; nobody knows then what
    /// it is.
    func exceedsRange() -> Bool {
        guard let resumption, resumption.isRest,
            recorder.deliveredBytes > resumption.end - resumption.start
        else { return false }
        failure = ExchangeStage.badResponse("the server sent more than the range that it announced")
        resumption.startOver()
        return true
    }

    /// The failure of an attempt whose response is complete, and the file is not.
    var incompleteFile: TransferFailure? {
        guard let resumption, resumption.isRest, let partial = resumption.partial,
            partial.size < partial.total
        else { return nil }
        return ExchangeStage.truncated("the server sent \(partial.size) of \(partial.total) bytes")
    }

    /// What is left for the next attempt, or to be published; and from where this one went on.
    func resumeOutcome() -> ResumeOutcome? {
        if hasFailed { spill() }
        guard let resumption else { return nil }
        var partial = resumption.partial
        // Of a whole file the publication finds out what is wrong with it.
        if hasFailed, partial?.isSpoilt == true || endsResuming(partial) {
            partial?.discard()
            partial = nil
        }
        if hasFailed, let partial, partial.size > 0 { keepForLater(partial, resumption) }
        return ResumeOutcome(
            partial: partial?.size == 0 ? nil : partial,
            resumedFrom: resumption.resumedFrom
        )
    }

    /// Whether what is there is of no use any more: a file that is gone from one server a mirror
    /// may still have, and its checksum tells that it is the same.
    private func endsResuming(_ partial: PartialDownload?) -> Bool {
        guard let failure, failure.endsResuming, let partial, partial.isOf(request.request.url.text)
        else { return false }
        guard failure.kind == .httpStatus, !request.nextMirrors.isEmpty,
            case .file(let wanted) = request.sink
        else { return true }
        return wanted.checksum == nil
    }

    /// The attempt has ended: whatever there is may be all that a later run finds.
    private func keepForLater(_ partial: PartialDownload, _ resumption: Resumption) {
        switch resumption.keeping {
        case .never: return
        case .due:
            guard partial.size > ResponseSink.memoryLimit else { return }
            keeper.keep(partial, of: request, session.configuration.credentials)
        case .kept: break
        }
        keeper.checkpoint(partial)
    }
}
