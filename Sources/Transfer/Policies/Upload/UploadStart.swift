internal import TransferModel

/// Decides whether an attempt begins an upload that can be resumed, or resumes one.
struct UploadStart {
    let wanted: AttemptRequest.Upload
    /// The task's own request.
    let request: RequestSpec
    /// The boundary of a `multipart` body.
    let boundary: String?
    /// Bytes of the whole body; nil when unknown, or when the task has own fields of the protocol.
    let total: Int64?
    /// Makes the digests that tell this upload from others.
    let source: UploadDigests.Source
    /// Whether the request may reach the server's application twice.
    let isRepeatable: Bool
    /// Whether the machine alone chooses the path to the server.
    let isPlain: Bool
    let now: Timestamp
    let keeper: PartialKeeper

    /// The attempt's upload; nil when the body would be sent anew after a cut.
    ///
    /// An order that may have come to its end before is a failure.
    func upload(_ version: UploadVersion?) throws(TransferFailure) -> ActiveUpload? {
        guard let partial = wanted.partial else {
            if let obstacle = wanted.obstacle { try meet(obstacle) }
            return offer(version)
        }
        guard let total, let digests = source.digests(partial.salt) else {
            guard wanted.mayReplace else { throw .anotherUpload }
            return nil
        }
        let match = digests.match(partial)
        guard match != .nothing || wanted.mayReplace else { throw .anotherUpload }
        guard partial.url.origin == request.url.origin else {
            guard isRepeatable else { return nil }
            // The new origin gets only the fields and the body of the task; the old upload expires.
            keeper.forgetUpload(of: wanted.id)
            return offer(version)
        }
        // A new idempotency key says nothing about the time without it.
        let wasRepeatable = match == .upload || partial.isRepeatable || wanted.mayRepeat
        return ActiveUpload(
            self,
            resuming: partial,
            digests: digests,
            machine: UploadMachine(
                resuming: partial,
                of: total,
                match: match,
                isRepeatable: isRepeatable && wasRepeatable
            )
        )
    }

    /// Whether the body is long enough to be resumed: servers keep nothing of shorter ones.
    private var isLong: Bool { total.map { $0 >= TaskSpec.leastResumableCount } ?? false }

    /// An order whose earlier fate is unknown is not sent.
    private func meet(_ obstacle: UploadObstacle) throws(TransferFailure) {
        guard !isRepeatable, isLong else { return }
        // After the failure has reported the unknown outcome once, another run sends the order.
        if case .damaged = obstacle { keeper.forgetUpload(of: wanted.id) }
        throw TransferFailure(obstacle)
    }

    private func offer(_ version: UploadVersion?) -> ActiveUpload? {
        guard let total, isLong, let version else { return nil }
        return ActiveUpload(
            self,
            machine: UploadMachine(total: total, version: version, isRepeatable: isRepeatable)
        )
    }
}
