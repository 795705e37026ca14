internal import CurlKit
internal import SystemKit
internal import TransferModel

// Uploads that go on where they were cut: carries out what `UploadMachine` decides.
extension Attempt {
    /// What libcurl hands over at once, bytes: TLS tells of none of them before all have left.
    private static let sendBufferSize: Int64 = 2 << 20

    /// Makes the task's request one that the server may offer to resume, or goes on with what was
    /// cut.
    func beginUpload() {
        guard let wanted = request.upload else { return }
        let isOwn = hop.headers.contains { UploadFields.isOwn($0.name) }
        let total = isOwn ? nil : bodySize
        guard let partial = wanted.partial else {
            if let obstacle = wanted.obstacle { meet(obstacle, of: wanted, total) }
            return offerUpload(of: total, wanted)
        }
        guard let total, let digests = uploadDigests(partial.salt) else {
            if !wanted.mayReplace { failure = .anotherUpload }
            return
        }
        let match = digests.match(partial)
        guard match != .nothing || wanted.mayReplace else {
            failure = .anotherUpload
            return
        }
        if partial.url.origin == hop.url.origin {
            resume(partial, of: total, digests, wanted)
        } else if isRepeatable {
            // Nobody else gets what the task sends: that one expires.
            keeper.forgetUpload(of: wanted.id)
            offerUpload(of: total, wanted)
        }
    }

    /// An order of which nobody can tell whether an earlier run has sent it is not sent.
    private func meet(
        _ obstacle: UploadObstacle,
        of wanted: AttemptRequest.Upload,
        _ total: Int64?
    ) {
        // Of a shorter body none has kept anything.
        guard !isRepeatable, let total, total >= TaskSpec.leastResumableCount else { return }
        failure = TransferFailure(obstacle)
        // Whoever was told that nobody knows has it sent by running the job again.
        if case .damaged = obstacle { keeper.forgetUpload(of: wanted.id) }
    }

    /// Tells the server that the upload could be gone on with, if the body is worth it.
    private func offerUpload(of total: Int64?, _ wanted: AttemptRequest.Upload) {
        guard let total, total >= TaskSpec.leastResumableCount,
            let version = session.uploadSupport.version(for: hop.url.origin)
        else { return }
        upload = ActiveUpload(
            wanted,
            hop,
            boundary: boundary,
            machine: UploadMachine(total: total, version: version, isRepeatable: isRepeatable),
            isPlain: hasPlainWay,
            creationDate: context.clock.timestamp(of: startTime)
        )
    }

    private func resume(
        _ partial: PartialUpload,
        of total: Int64,
        _ digests: UploadDigests,
        _ wanted: AttemptRequest.Upload
    ) {
        let match = digests.match(partial)
        // A key that it has got since says nothing of the time without it.
        let wasRepeatable = match == .upload || partial.isRepeatable || wanted.mayRepeat
        let upload = ActiveUpload(
            wanted,
            hop,
            resuming: partial,
            digests: digests,
            machine: UploadMachine(
                resuming: partial,
                of: total,
                match: match,
                isRepeatable: isRepeatable && wasRepeatable
            ),
            isPlain: hasPlainWay
        )
        self.upload = upload
        setLeg(of: upload)
        recorder.begin(
            reason: legReason(upload),
            method: hop.method,
            url: reportedURL,
            at: startTime
        )
    }

    private var hasPlainWay: Bool {
        session.configuration.hasPlainWay && request.access == session.configuration.access
    }

    /// Whether the task's own request, which the hop is as yet, may arrive twice.
    private var isRepeatable: Bool {
        hop.isIdempotent || hop.hasIdempotencyKey || request.upload?.mayRepeat == true
    }

    /// The request of the leg that the upload is in now.
    private func performLeg(_ upload: ActiveUpload) -> Next {
        if setLeg(of: upload) { watchAnew() }
        checks = []
        redirects.beginLeg()
        connection.beginLeg()
        bodyHold.beginBody()
        beginAuthentication()
        return exchange(legReason(upload))
    }

    /// Makes the hop the request of the upload's leg.
    ///
    /// - Returns: Whether the leg has other time limits than the one before.
    @discardableResult
    private func setLeg(of upload: ActiveUpload) -> Bool {
        // Where the server has led who asked how much there is, the rest goes at once.
        var url = upload.machine.url ?? hop.url
        if case .append = upload.machine.leg { url = hop.url }
        hop = upload.request(at: url)
        carriesBody = upload.part != nil
        if let part = upload.part { (body as? SegmentedBody)?.restrict(to: part) }
        if case .append(let start, _) = upload.machine.leg, start > 0, upload.sentEnd == nil {
            upload.resumedFrom = start
        }
        return upload.beginLeg()
    }

    /// Whether the running request gives an upload up.
    var isGivingUp: Bool { upload?.isGivingUp == true }

    private func legReason(_ upload: ActiveUpload) -> TransactionMetrics.Reason {
        switch upload.machine.leg {
        case .offset: .uploadOffset
        case .append: .uploadAppend
        case .cancellation: .uploadCancel
        case .creation, .over: .restart
        }
    }

    /// A server that does not answer when it is told that an upload is given up holds nobody up for
    /// long.
    private func watchAnew() {
        let now = MonotonicTime.now
        let limit = ActiveUpload.cancellationLimit
        watch = ActivityWatch(
            idleLimit: isGivingUp ? limit : request.timeoutInterval,
            minimumRate: isGivingUp ? nil : session.configuration.minimumRate,
            deadline: isGivingUp
                ? min(request.deadline ?? now + limit, now + limit) : request.deadline,
            now: now
        )
    }

    // MARK: What comes

    /// A 104 may say where the upload is, which is written down at once.
    func didInform(_ head: ResponseHead) {
        guard let upload, head.statusCode == 104, carriesBody, !bodyHold.lacksBody else { return }
        guard upload.machine.didInform(head.fields, from: hop.url) else {
            noteOtherVersion(in: head, of: upload)
            return
        }
        session.uploadSupport.note(upload.machine.version, at: hop.url.origin)
        keep(upload)
    }

    /// A 104 in another version than that of the request does not count, but tells what to ask in
    /// the next time.
    private func noteOtherVersion(in head: ResponseHead, of upload: ActiveUpload) {
        guard upload.machine.url == nil,
            let version = UploadFields(head.fields).version.flatMap(UploadVersion.init),
            version != upload.machine.version
        else { return }
        session.uploadSupport.note(version, at: hop.url.origin)
    }

    /// Notes that the server has passed over the version of an upload that has come far enough for
    /// a 104.
    private func noteSilence(to upload: ActiveUpload) {
        guard upload.machine.url == nil, upload.resumedFrom == nil else { return }
        let isAccepted = head.map { (200...299).contains($0.statusCode) } ?? false
        guard isAccepted || upload.sentEnd ?? 0 >= Self.sendBufferSize else { return }
        session.uploadSupport.noteSilence(to: upload.machine.version, at: hop.url.origin)
    }

    /// Looks at a response with the upload in mind; nil when it is judged as any other.
    func judgeUpload(_ head: ResponseHead) -> Bool? {
        guard let upload else { return nil }
        noteSent()
        let leg = upload.machine.leg
        upload.step = upload.machine.didAnswer(
            head,
            from: hop.url,
            isSent: recorder.isRequestSent
        )
        if upload.step == .judge {
            guard leg == .offset else {
                if case .append = leg { invalidate(after: head, of: upload.request) }
                return nil
            }
            guard request.redirects.follow != .never, head.fields["location"] != nil else {
                upload.step = .fail(.refused(status: head.statusCode))
                return passOverLeg()
            }
            response.verdict = .redirect
            response.sink.discard()
            return true
        }
        if case .append = upload.machine.leg, upload.isStored { keep(upload) }
        if upload.step == .answerLost { invalidate(after: head, of: upload.request) }
        return passOverLeg()
    }

    private func passOverLeg() -> Bool {
        response.verdict = .proceed
        response.sink.discard()
        return true
    }

    /// Notes how much of the body has left with the running request.
    func noteSent() {
        guard let upload, carriesBody, !bodyHold.lacksBody, let part = upload.part else { return }
        let count = min(recorder.sentBodyBytes, part.upperBound - part.lowerBound)
        if count > 0 { upload.sentEnd = part.lowerBound + count }
        let isSecure = hop.url.origin.scheme == .https || proxy.route != nil
        let unseen = isSecure ? Self.sendBufferSize : 0
        upload.machine.didSend(
            upTo: recorder.isRequestSent
                ? part.upperBound : min(part.upperBound, part.lowerBound + count + unseen)
        )
    }

    /// Goes on behind a response that was not the answer.
    func proceed() -> Next {
        guard let upload else { return finish() }
        switch upload.step {
        case .judge: return finish()
        case .proceed: break
        case .answerLost: return finishWithoutAnswer(upload)
        case .sendPlainly:
            // The record is that of the other order.
            upload.isStored = false
            return performLeg(upload)
        case .fail(let fault):
            failure = TransferFailure(fault, of: upload.machine, phase: recorder.phase)
            return finish()
        }
        let isOver = upload.machine.leg == .over
        guard isOver || upload.machine.leg == .creation, hop.method == upload.request.method else {
            return performLeg(upload)
        }
        // The server has refused the version.
        session.uploadSupport.note(isOver ? nil : upload.machine.version, at: hop.url.origin)
        if isOver {
            forget(upload)
            self.upload = nil
        }
        return exchange(.transparentRetry)
    }

    /// Goes on behind the request that has given an upload up, whatever came of it.
    func didCancelUpload() -> Next {
        guard let upload else { return finish() }
        upload.step = upload.machine.didCancel()
        guard upload.step == .proceed else { return proceed() }
        forget(upload)
        return performLeg(upload)
    }

    /// The server had all of the body before, and what it said to that did not arrive.
    ///
    /// That is enough for a task that expects nothing of the answer but a success.
    private func finishWithoutAnswer(_ upload: ActiveUpload) -> Next {
        forgetResponse()
        if let status = upload.machine.lateStatus {
            failure = ResponseVerdict.statusFailure(
                ResponseHead(statusCode: status, fields: HeaderFields())
            )
        } else if request.expectation != Expectation() || request.sink != .memory {
            failure = TransferFailure(
                kind: .truncated,
                phase: .receive,
                detail: "the upload is complete, but the answer to it was lost"
            )
            failure?.urlError = .networkConnectionLost
        } else {
            checks = [TaskRecord.Check(.clientError, passed: true)]
        }
        return finish()
    }

    // MARK: What is left

    /// What of the upload is left for another attempt, or for another run.
    func uploadOutcome() -> ResumeOutcome? {
        guard let upload else { return nil }
        noteSilence(to: upload)
        var outcome = UploadOutcome(
            partial: nil,
            resumedFrom: upload.resumedFrom,
            sentEnd: upload.sentEnd
        )
        if failure?.leavesUpload == true, upload.machine.url != nil {
            keep(upload)
            // It is all that keeps the order from being sent twice.
            let isNeeded = upload.machine.mayBeComplete && !upload.machine.isRepeatable
            if upload.isStored, isNeeded { upload.isStored = keeper.isWritten(upload.id) }
            outcome.partial = upload.partial
        } else {
            forget(upload)
        }
        return ResumeOutcome(upload: outcome)
    }

    private func keep(_ upload: ActiveUpload) {
        if upload.digests == nil { upload.digests = uploadDigests(upload.salt) }
        guard upload.isKept, let partial = upload.partial else { return }
        upload.isStored = keeper.keep(partial, of: upload.id)
    }

    private func forget(_ upload: ActiveUpload) {
        guard upload.isStored else { return }
        keeper.forgetUpload(of: upload.id)
        upload.isStored = false
    }

    /// What tells this upload from others; nil when its body cannot be read.
    private func uploadDigests(_ salt: String) -> UploadDigests? {
        let original = request.request
        let key = original.headers.idempotencyKey
        let traits = RequestTraits(original.headers, session.configuration.credentials)
        let order = [salt, original.method, original.url.text]
        guard let whole = digest(of: order + [key ?? "", traits.digest(salt) ?? ""], times: true),
            let part = digest(of: order, times: false)
        else { return nil }
        return UploadDigests(request: whole, order: part)
    }

    /// The digest of texts and the body, with the times of its files or without.
    private func digest(of texts: [String], times: Bool) -> String? {
        guard let digest = MessageDigest() else { return nil }
        for text in texts { digest.update(Array("\(text)\n".utf8).span) }
        switch request.body {
        case .bytes(let bytes), .compressed(let bytes, _): digest.update(bytes.span)
        case .file, .multipart:
            guard let body = body as? SegmentedBody,
                (try? body.identify(to: digest, withTimes: times)) != nil
            else { return nil }
        case .command, .pipe, nil: return nil
        }
        return MessageDigest.hexadecimal(digest.finish())
    }

    /// The bytes in memory that the running request brings of a longer body; nil when it does not.
    var appendedBytes: [UInt8]? {
        guard case .append(let start, let end)? = upload?.machine.leg else { return nil }
        switch request.body {
        case .bytes(let bytes), .compressed(let bytes, _):
            let part = Int(clamping: start)..<Int(clamping: end)
            return Array(bytes[part.clamped(to: bytes.indices)])
        default: return nil
        }
    }

    /// What was there before the running request, for the progress.
    var resumedUploadOffset: Int64 {
        guard let upload else { return 0 }
        return upload.part?.lowerBound ?? upload.machine.confirmed
    }

    /// What the running request and those behind it bring; nil when nobody knows it.
    var restToSend: Int64? {
        expectedToSend.map { $0 - resumedUploadOffset }
    }

    /// The length of the whole body; nil when nobody knows it, or without one.
    private var bodySize: Int64? {
        switch request.body {
        case .bytes(let bytes), .compressed(let bytes, _): Int64(bytes.count)
        default: body?.size
        }
    }

    /// The URL of the running request as a report has it.
    ///
    /// Who knows that of an upload may add to it.
    var reportedURL: String {
        upload?.isAtOwnURL == true ? hop.url.withoutPath : hop.url.text
    }

    /// A head as a report has it.
    func reported(_ head: ResponseHead) -> ResponseHead {
        guard let own = upload?.machine.url else { return head }
        var fields = HeaderFields()
        var isChanged = false
        for var field in head.fields.fields {
            if field.name.lowercased() == "location", hop.url.resolving(field.value) == own {
                field.value = own.withoutPath
                isChanged = true
            }
            fields.append(field)
        }
        return isChanged ? ResponseHead(statusCode: head.statusCode, fields: fields) : head
    }
}

extension HTTPURL {
    /// The URL without what only its owner is to know.
    fileprivate var withoutPath: String { "\(origin.text)/<redacted>" }
}
