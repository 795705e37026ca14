internal import CurlKit
internal import SystemKit
internal import TransferModel

// Takes the response, whose head `ResponseJudge` judges.
extension Exchange {
    /// Takes the head of a response that libcurl has not received; false when its body is not
    /// wanted.
    func receive(_ head: ResponseHead) -> Bool {
        do throws(TransferFailure) {
            return try ResponseJudge(head, of: self).judge()
        } catch {
            fail(error)
            return false
        }
    }

    /// Takes a piece of the body as it was sent; false ends the transfer.
    func receive(_ bytes: Span<UInt8>) -> Bool {
        response.decoding == nil ? take(bytes) : decode(bytes)
    }

    /// Takes a piece of the body from libcurl, which waits while the piece is decoded in steps.
    func receiveInSteps(_ bytes: Span<UInt8>) -> Bool {
        guard let decoding = response.decoding else { return take(bytes) }
        let wasUnfinished = decoding.isUnfinished
        // libcurl had read more than the piece at which the transfer paused.
        guard decode(bytes, atMost: wasUnfinished ? 0 : BodyDecoding.step) else { return false }
        if decoding.isUnfinished {
            handle.pause()
            if !wasUnfinished { session.turn.continueLater(request.key) }
        }
        return true
    }

    /// Decodes the rest of the earlier calls' bytes and a piece; false ends the transfer.
    func decode(_ bytes: Span<UInt8>, atMost limit: Int = .max) -> Bool {
        guard let decoding = response.decoding else { return false }
        switch decoding.decode(bytes, atMost: limit, { take($0) }) {
        case .taken: return true
        case .refused: return false
        case .unusable(let findings):
            note(findings)
            return false
        }
    }

    private func take(_ bytes: Span<UInt8>) -> Bool {
        do throws(TransferFailure) {
            let now = move()
            recorder.didDeliver(count: bytes.count, at: now)
            if let parts = response.parts {
                return try response.take(bytes, of: parts, at: context.wallTime, &outcome)
            }
            return try store(bytes, at: now)
        } catch {
            fail(error)
            return false
        }
    }

    /// Takes a piece of the body as it is to be stored; false when no more of it is wanted.
    private func store(
        _ bytes: Span<UInt8>,
        at now: MonotonicTime
    ) throws(TransferFailure) -> Bool {
        if verdict?.isPassedOver ?? policies.proxy.hasSequel {
            try UnwantedBody(of: self).count(recorder.deliveredBytes)
        }
        if let excess = policies.part.resumption?.excess(recorder.deliveredBytes) { throw excess }
        if let findings = response.bodyCheck?.take(bytes) {
            note(findings)
            return false
        }
        do throws(SystemError) {
            if try write(bytes) {
                keepPart(at: now)
                return true
            }
        } catch {
            throw TransferFailure(error, phase: .receive)
        }
        // A proxy's answer in the origin's place has the same limit as a refused response.
        if verdict == nil { throw policies.proxy.refusal(at: recorder.stage) }
        return false
    }

    /// Writes a piece of the body; on a full disk the cache's copy of the body gives way.
    private func write(_ bytes: Span<UInt8>) throws(SystemError) -> Bool {
        if let segment = policies.part.segment {
            let isWanted = try segment.write(bytes)
            if !isWanted { response.isCutOff = true }
            return isWanted
        }
        do throws(SystemError) {
            return try response.sink.write(bytes)
        } catch {
            guard error.isOutOfRoom, policies.caching?.giveWay(error) == true else { throw error }
            return try response.sink.write(bytes)
        }
    }

    /// Does the work on the part that is due at a time, even if no bytes arrive.
    func lookAtPart(at now: MonotonicTime) {
        if response.partTime != nil {
            policies.part.look(at: now, after: failure, from: hop.url, for: request, &response)
        }
        keepPart(at: now)
    }

    /// Keeps the received bytes for later runs when that is due.
    func keepPart(at now: MonotonicTime) {
        if let step = policies.part.step(at: now) { policies.part.perform(step, for: request) }
    }
}
