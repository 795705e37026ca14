internal import CurlKit
internal import SystemKit
internal import TransferModel

// Takes the parts of a `multipart/x-mixed-replace` response, each a response of its own.
extension Exchange {
    /// Takes a piece of a body that has parts; false ends the transfer.
    func take(_ bytes: Span<UInt8>, of parts: PartIntake) throws(TransferFailure) -> Bool {
        let now = move()
        recorder.didDeliver(count: bytes.count, at: now)
        parts.splitter.push(bytes)
        return try takeEvents(of: parts)
    }

    /// Takes the end of a body that has parts.
    ///
    /// - Throws: A failure when it has no part, or its last part is not whole.
    func endParts() throws(TransferFailure) {
        guard let parts = response.parts, let head, !response.isCutOff, !response.isUnchanged,
            !ResponseIntake.hasNoBody(head, to: hop.method)
        else { return }
        parts.splitter.finish()
        _ = try takeEvents(of: parts)
        if parts.splitter.isInPart {
            throw ExchangeStage.truncated("the body ended within its part \(parts.count + 1)")
        }
        guard parts.count > 0 else {
            throw ExchangeStage.badResponse("the multipart/x-mixed-replace response has no part")
        }
    }

    /// Takes the events up to the next missing byte; false when the rest is not wanted.
    private func takeEvents(of parts: PartIntake) throws(TransferFailure) -> Bool {
        while let event = try parts.next() {
            switch event {
            case .begin(let fields):
                parts.begin(fields)
                guard try begin(parts) else { return false }
            case .content(let range):
                let bytes = parts.splitter.bytes
                let piece = bytes.span.extracting(range)
                if parts.rule.keep == .all {
                    try parts.collect(piece)
                } else if try !keep(piece) {
                    return false
                }
            case .end:
                if parts.rule.keep == .all {
                    let line = parts.line(at: context.wallTime)
                    guard try keep(line.span) else { return false }
                }
                guard parts.end() else { continue }
                response.isCutOff = true
                return false
            case .close:
                response.isCutOff = true
                return false
            }
        }
        return true
    }

    /// Judges the head of a part, and makes room for its body in place of the last one; false when
    /// the part is not wanted.
    private func begin(_ parts: PartIntake) throws(TransferFailure) -> Bool {
        var found: [TaskRecord.Check] = []
        let failure = ResponseVerdict.mimeTypeFailure(parts.head, request.expectation, &found)
        // Thousands of parts are one check.
        if parts.count == 0 || failure != nil { outcome.add(found) }
        if let failure { throw failure }
        guard parts.rule.keep == .last else { return true }
        let expectedCount = parts.expectedCount
        do throws(SystemError) {
            if let file = response.chosenDestination {
                try response.sink.open(file, expectedCount: expectedCount)
            } else {
                response.sink.discard()
            }
        } catch {
            throw TransferFailure(error, phase: .receive)
        }
        response.bodyCheck = BodyCheck(request.expectation, head: parts.head, method: hop.method)
        if let findings = response.bodyCheck?.announce(expectedCount) {
            note(findings)
            return false
        }
        return true
    }

    /// Checks and writes a piece of the task's body; false ends the transfer.
    private func keep(_ bytes: Span<UInt8>) throws(TransferFailure) -> Bool {
        if let findings = response.bodyCheck?.take(bytes) {
            note(findings)
            return false
        }
        do throws(SystemError) {
            return try response.sink.write(bytes)
        } catch {
            throw TransferFailure(error, phase: .receive)
        }
    }
}
