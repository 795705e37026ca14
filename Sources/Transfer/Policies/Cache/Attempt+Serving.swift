internal import HTTPCache
internal import SystemKit
internal import TransferModel

// Answers with a stored response: checks that its body is intact and hands the body on, a long one
// in steps.
extension Attempt {
    /// Whether a stored body is being read.
    var isReading: Bool { caching?.reading != nil }

    /// Answers the running exchange with a stored response.
    func serve(_ serving: Serving) -> Next {
        guard let caching else { return finish() }
        let stored = serving.response
        guard hop.method != "HEAD", stored.body.length > 0 else {
            return deliver(serving, .memory([]), hasBody: false)
        }
        guard stored.body.length > StoredBodyCheck.step else {
            guard let body = caching.body(of: stored) else { return giveUp(serving) }
            return deliver(serving, body, hasBody: true)
        }
        guard let check = caching.firstCheck(of: stored) else { return giveUp(serving) }
        caching.reading = .checking(serving, check)
        return readOn()
    }

    /// Continues reading a stored body.
    func readOn() -> Next {
        // The attempt waits for the disk only, so no idle time counts.
        watch.willBegin(at: .now)
        switch caching?.reading {
        case .checking(let serving, var check):
            switch check.goOn() {
            case nil:
                caching?.reading = .checking(serving, check)
                return .read
            case true?:
                caching?.reading = nil
                caching?.note(check)
                return deliver(serving, check.body, hasBody: true)
            case false?:
                caching?.reading = nil
                guard check.copy != nil, let next = caching?.secondCheck(of: serving.response)
                else { return giveUp(serving) }
                caching?.reading = .checking(serving, next)
                return .read
            }
        case .handingOn(let body, let start, let end):
            let next = min(start + StoredBodyCheck.step, end)
            guard handOn(body, from: start, to: next), next < end else { return endServing() }
            caching?.reading = .handingOn(body, from: next, to: end)
            return .read
        case nil: return finish()
        }
    }

    /// Continues after a stored body proved missing or damaged.
    private func giveUp(_ serving: Serving) -> Next {
        guard let caching else { return finish() }
        caching.cache.forget(hop.url)
        let mayAsk = request.cachePolicy != .returnCacheDataDontLoad
        if case .failure(let failure?) = serving.occasion {
            self.failure = failure
            return finish()
        }
        caching.question = .init(reason: .damaged)
        if case .lookup = serving.occasion { return mayAsk ? ask() : failUnavailable() }
        return exchange(.restart)
    }

    /// Judges a stored response like one from the network, and hands its body on.
    private func deliver(_ serving: Serving, _ content: StoredBody, hasBody: Bool) -> Next {
        guard let caching else { return finish() }
        let stored = serving.response
        var head = stored.head(at: serving.now)
        var part: (start: Int64, count: Int64) = (0, hasBody ? stored.body.length : 0)
        if hasBody, let value = caching.request?.range,
            let range = ByteRange(value, of: stored.body.length)
        {
            head = range.head(of: head, length: stored.body.length)
            part = (range.start, range.count)
        }
        caching.serve(stored, length: part.count, serving.verdict)
        if case .lookup(refreshes: true) = serving.occasion { caching.refresh = hop }
        response.head = head
        response.servedLength = part.count
        recorder.didFind(head, at: move())
        guard judge(head), verdict?.isPassedOver != true else { return endServing() }
        let end = part.start + part.count
        guard part.count > StoredBodyCheck.step else {
            _ = handOn(content, from: part.start, to: end)
            return endServing()
        }
        caching.reading = .handingOn(content, from: part.start, to: end)
        return .read
    }

    /// Hands on a part of the body; false when no more of it is wanted.
    private func handOn(_ body: StoredBody, from start: Int64, to end: Int64) -> Bool {
        do throws(SystemError) {
            return try body.forEachPiece(from: start, count: end - start) { piece in
                response.decoding == nil ? take(piece) : decode(piece)
            }
        } catch {
            failure = TransferFailure(error, phase: .receive)
            return false
        }
    }

    private func endServing() -> Next {
        caching?.reading = nil
        recorder.end(isComplete: !hasFailed, protocolName: nil)
        return perform(machine.step)
    }
}
