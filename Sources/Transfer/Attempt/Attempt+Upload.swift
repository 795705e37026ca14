internal import CurlKit
internal import TransferModel

// The steps of an attempt that sends a resumable upload: carries out the decisions of
// `ActiveUpload`.
extension Attempt {
    /// Begins or resumes the task's upload.
    func beginUpload(boundary: String?) throws(TransferFailure) {
        guard let wanted = exchange.request.upload else { return }
        let hop = exchange.hop
        let session = exchange.session
        let isOwn = hop.headers.contains { UploadFields.isOwn($0.name) }
        let start = UploadStart(
            wanted: wanted,
            request: hop,
            boundary: boundary,
            total: isOwn ? nil : exchange.body.size(of: exchange.request.body),
            source: UploadDigests.Source(
                request: exchange.request.request,
                credentials: session.configuration.credentials,
                body: exchange.request.body,
                files: exchange.body.reader as? SegmentedBody
            ),
            isRepeatable: hop.isIdempotent || hop.hasIdempotencyKey || wanted.mayRepeat,
            isPlain: session.configuration.hasPlainWay
                && exchange.request.access == session.configuration.access,
            now: exchange.context.clock.timestamp(of: exchange.recorder.startTime),
            keeper: exchange.policies.part.keeper
        )
        let upload = try start.upload(session.uploadSupport.version(for: hop.url.origin))
        exchange.policies.use(upload)
        guard let upload, upload.machine.leg != .creation else { return }
        setLeg(of: upload)
        exchange.beginRecord(upload.reason, at: exchange.recorder.startTime)
    }

    /// Sends the request of the upload's current leg.
    private func beginLeg(of upload: ActiveUpload) throws(TransferFailure) -> Next {
        if setLeg(of: upload) { watchAnew() }
        exchange.beginHop(by: .leg)
        return try repeatRequest(upload.reason)
    }

    /// Makes the hop the request of the upload's leg.
    ///
    /// - Returns: Whether the leg has other time limits than the previous one.
    @discardableResult
    private func setLeg(of upload: ActiveUpload) -> Bool {
        exchange.hop = upload.request(at: upload.url(after: exchange.hop.url))
        exchange.body.carry(upload.part)
        return upload.beginLeg()
    }

    /// Sets the time limits of the leg: a server that does not answer a cancellation must not delay
    /// the task for long.
    private func watchAnew() {
        let now = MonotonicTime.now
        let limit = exchange.isGivingUp ? ActiveUpload.cancellationLimit : nil
        let (request, end) = (exchange.request, limit.map { now + $0 })
        exchange.watch = ActivityWatch(
            idleLimit: limit ?? request.timeoutInterval?.duration,
            minimumRate: limit == nil ? exchange.session.configuration.minimumRate : nil,
            deadline: [request.deadline, end].compactMap(\.self).min(),
            now: now
        )
    }

    /// Continues after a response that was not the answer.
    func proceedWithUpload() throws(TransferFailure) -> Next {
        guard let upload = exchange.policies.upload else { return finish() }
        switch upload.next(after: exchange.hop.method) {
        case .finish: return finish()
        case .leg: return try beginLeg(of: upload)
        case .finishWithoutAnswer: return try finishWithoutAnswer(upload)
        case .fail(let fault):
            throw TransferFailure(fault, of: upload.machine, phase: exchange.recorder.phase)
        case .again(let isOver):
            exchange.session.uploadSupport.note(
                isOver ? nil : upload.machine.version,
                at: exchange.hop.url.origin
            )
            if isOver { exchange.policies.use(nil) }
            return try repeatRequest(.transparentRetry)
        }
    }

    /// Continues after the request that cancels an upload, whatever its response.
    func didCancelUpload() throws(TransferFailure) -> Next {
        guard let upload = exchange.policies.upload else { return finish() }
        upload.didCancel()
        return upload.step == .proceed ? try beginLeg(of: upload) : try proceedWithUpload()
    }

    /// Ends an attempt whose answer was lost: for a task that expects nothing more, a success is
    /// enough.
    private func finishWithoutAnswer(_ upload: ActiveUpload) throws(TransferFailure) -> Next {
        exchange.forgetResponse()
        let request = exchange.request
        if let failure = upload.failureWithoutAnswer(
            expectsNothing: request.expectation == Expectation() && request.sink == .memory
        ) {
            throw failure
        }
        exchange.outcome.add([TaskRecord.Check(.clientError, passed: true)])
        return finish()
    }
}
