internal import CurlKit
internal import TransferModel

// Carries out the decisions of `ActiveUpload`.
extension Attempt {
    /// Begins or resumes the task's upload.
    func beginUpload() {
        guard let wanted = request.upload else { return }
        let isOwn = hop.headers.contains { UploadFields.isOwn($0.name) }
        let start = UploadStart(
            wanted: wanted,
            request: hop,
            boundary: boundary,
            total: isOwn ? nil : bodySize,
            source: UploadDigests.Source(
                request: request.request,
                credentials: session.configuration.credentials,
                body: request.body,
                files: body as? SegmentedBody
            ),
            isRepeatable: hop.isIdempotent || hop.hasIdempotencyKey || wanted.mayRepeat,
            isPlain: session.configuration.hasPlainWay
                && request.access == session.configuration.access,
            now: context.clock.timestamp(of: startTime),
            keeper: keeper
        )
        do throws(TransferFailure) {
            upload = try start.upload(session.uploadSupport.version(for: hop.url.origin))
        } catch {
            failure = error
        }
        guard let upload, upload.machine.leg != .creation else { return }
        setLeg(of: upload)
        recorder.begin(
            reason: upload.reason,
            method: hop.method,
            url: reportedURL,
            at: startTime
        )
    }

    /// Whether the running request cancels an upload.
    var isGivingUp: Bool { upload?.isGivingUp == true }

    /// Sends the request of the upload's current leg.
    private func performLeg(_ upload: ActiveUpload) -> Next {
        if setLeg(of: upload) { watchAnew() }
        checks = []
        redirects.beginLeg()
        connection.beginLeg()
        bodyHold.beginBody()
        beginAuthentication()
        return exchange(upload.reason)
    }

    /// Makes the hop the request of the upload's leg.
    ///
    /// - Returns: Whether the leg has other time limits than the previous one.
    @discardableResult
    private func setLeg(of upload: ActiveUpload) -> Bool {
        hop = upload.request(at: upload.url(after: hop.url))
        carriesBody = upload.part != nil
        if let part = upload.part { (body as? SegmentedBody)?.restrict(to: part) }
        return upload.beginLeg()
    }

    /// Sets the time limits of the leg: a server that does not answer a cancellation must not delay
    /// the task for long.
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

    /// Takes an informational response, which may name the upload's URL.
    func didInform(_ head: ResponseHead) {
        guard let upload, head.statusCode == 104, carriesBody, !bodyHold.lacksBody else { return }
        upload.didInform(head, from: hop.url, &session.uploadSupport)
    }

    /// Judges a response for the upload; nil when the response is judged like any other.
    func judgeUpload(_ head: ResponseHead) -> Bool? {
        guard let upload else { return nil }
        noteSent()
        let judgement = upload.judge(
            head,
            from: hop.url,
            isSent: recorder.isRequestSent,
            mayFollow: request.redirects.follow != .never
        )
        if judgement == .usual(answersOrder: true) || upload.step == .answerLost {
            invalidate(after: head, of: upload.start.request)
        }
        switch judgement {
        case .usual: return nil
        case .redirect: response.verdict = .redirect
        case .passOver: response.verdict = .proceed
        }
        response.sink.discard()
        return true
    }

    /// Notes how many body bytes the running request has sent.
    func noteSent() {
        guard let upload, carriesBody, !bodyHold.lacksBody else { return }
        upload.didSend(
            recorder.sentBodyBytes,
            isRequestSent: recorder.isRequestSent,
            isBuffered: hop.url.origin.scheme == .https || proxy.route != nil
        )
    }

    /// Continues after a response that was not the answer.
    func proceed() -> Next {
        guard let upload else { return finish() }
        switch upload.next(after: hop.method) {
        case .finish: return finish()
        case .leg: return performLeg(upload)
        case .finishWithoutAnswer: return finishWithoutAnswer(upload)
        case .fail(let fault):
            failure = TransferFailure(fault, of: upload.machine, phase: recorder.phase)
            return finish()
        case .again(let isOver):
            session.uploadSupport.note(isOver ? nil : upload.machine.version, at: hop.url.origin)
            if isOver { self.upload = nil }
            return exchange(.transparentRetry)
        }
    }

    /// Continues after the request that cancels an upload, whatever its response.
    func didCancelUpload() -> Next {
        guard let upload else { return finish() }
        upload.didCancel()
        return upload.step == .proceed ? performLeg(upload) : proceed()
    }

    /// Ends an attempt whose answer was lost: for a task that expects nothing more, a success is
    /// enough.
    private func finishWithoutAnswer(_ upload: ActiveUpload) -> Next {
        forgetResponse()
        failure = upload.failureWithoutAnswer(
            expectsNothing: request.expectation == Expectation() && request.sink == .memory
        )
        if !hasFailed { checks = [TaskRecord.Check(.clientError, passed: true)] }
        return finish()
    }

    /// The upload that is left for another attempt or run.
    func uploadOutcome() -> ResumeOutcome? {
        guard let upload else { return nil }
        return ResumeOutcome(
            upload: upload.outcome(
                after: failure,
                head,
                from: hop.url.origin,
                &session.uploadSupport
            )
        )
    }

    /// The body bytes of the running request and all later ones; nil if unknown.
    var restToSend: Int64? { expectedToSend.map { $0 - (upload?.offset ?? 0) } }

    /// The length of the whole body; nil when unknown, or without one.
    var bodySize: Int64? {
        switch request.body {
        case .bytes(let bytes), .compressed(let bytes, _): Int64(bytes.count)
        default: body?.size
        }
    }

    /// The URL of the running request for a report.
    var reportedURL: String { upload?.reported(hop.url) ?? hop.url.text }

    /// A response's head for a report.
    func reported(_ head: ResponseHead) -> ResponseHead {
        upload?.reported(head, from: hop.url) ?? head
    }
}
