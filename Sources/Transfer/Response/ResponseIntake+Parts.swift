internal import SystemKit
internal import TransferModel

// Takes the parts of a `multipart/x-mixed-replace` response, each a response of its own.
extension ResponseIntake {
    /// Takes a piece of a body that has parts.
    ///
    /// - Parameters:
    ///   - bytes: The piece.
    ///   - parts: The parts of the body.
    ///   - date: The date of the lines that parts become.
    ///   - outcome: Gets the results of the checks.
    /// - Returns: False when the rest is not wanted.
    /// - Throws: The failure of a part.
    mutating func take(
        _ bytes: Span<UInt8>,
        of parts: PartIntake,
        at date: @autoclosure () -> Timestamp,
        _ outcome: inout AttemptOutcome
    ) throws(TransferFailure) -> Bool {
        parts.splitter.push(bytes)
        return try takeEvents(of: parts, at: date, &outcome)
    }

    /// Takes the end of a body that has parts.
    ///
    /// - Throws: A failure when it has no part, or its last part is not whole.
    mutating func endParts(
        at date: @autoclosure () -> Timestamp,
        _ outcome: inout AttemptOutcome
    ) throws(TransferFailure) {
        guard let parts, let head, !isCutOff, !isUnchanged,
            !Self.hasNoBody(head, to: parts.method)
        else { return }
        parts.splitter.finish()
        _ = try takeEvents(of: parts, at: date, &outcome)
        if parts.splitter.isInPart {
            throw ExchangeStage.truncated("the body ended within its part \(parts.count + 1)")
        }
        guard parts.count > 0 else {
            throw ExchangeStage.badResponse("the multipart/x-mixed-replace response has no part")
        }
    }

    /// Takes the events up to the next missing byte; false when the rest is not wanted.
    private mutating func takeEvents(
        of parts: PartIntake,
        at date: () -> Timestamp,
        _ outcome: inout AttemptOutcome
    ) throws(TransferFailure) -> Bool {
        while let event = try parts.next() {
            switch event {
            case .begin(let fields):
                parts.begin(fields)
                guard try begin(parts, &outcome) else { return false }
            case .content(let range):
                let bytes = parts.splitter.bytes
                let piece = bytes.span.extracting(range)
                if parts.rule.keep == .all {
                    try parts.collect(piece)
                } else if try !keep(piece, &outcome) {
                    return false
                }
            case .end:
                if parts.rule.keep == .all {
                    let line = parts.line(at: date())
                    guard try keep(line.span, &outcome) else { return false }
                }
                guard parts.end() else { continue }
                isCutOff = true
                return false
            case .close:
                isCutOff = true
                return false
            }
        }
        return true
    }

    /// Judges the head of a part, and makes room for its body in place of the last one; false when
    /// the part is not wanted.
    private mutating func begin(
        _ parts: PartIntake,
        _ outcome: inout AttemptOutcome
    ) throws(TransferFailure) -> Bool {
        var found: [TaskRecord.Check] = []
        let failure = ResponseVerdict.mimeTypeFailure(parts.head, parts.expectation, &found)
        // Thousands of parts are one check.
        if parts.count == 0 || failure != nil { outcome.add(found) }
        if let failure { throw failure }
        guard parts.rule.keep == .last else { return true }
        let expectedCount = parts.expectedCount
        do throws(SystemError) {
            if let file = chosenDestination {
                try sink.open(file, expectedCount: expectedCount)
            } else {
                sink.discard()
            }
        } catch {
            throw TransferFailure(error, phase: .receive)
        }
        bodyCheck = BodyCheck(parts.expectation, head: parts.head, method: parts.method)
        if let findings = bodyCheck?.announce(expectedCount) {
            outcome.note(findings)
            return false
        }
        return true
    }

    /// Checks and writes a piece of the task's body; false ends the transfer.
    private mutating func keep(
        _ bytes: Span<UInt8>,
        _ outcome: inout AttemptOutcome
    ) throws(TransferFailure) -> Bool {
        if let findings = bodyCheck?.take(bytes) {
            outcome.note(findings)
            return false
        }
        do throws(SystemError) {
            return try sink.write(bytes)
        } catch {
            throw TransferFailure(error, phase: .receive)
        }
    }
}
