internal import CurlKit
internal import SystemKit
internal import TransferModel

// Takes the body of the response.
extension Exchange {
    /// The limit of a body that is passed over.
    private static let passedOverBodyLimit: Int64 = 1 << 20

    /// Takes a piece of the body as it was sent; false ends the transfer.
    func receive(_ bytes: Span<UInt8>) -> Bool {
        response.decoding == nil ? take(bytes) : decode(bytes)
    }

    private func decode(_ bytes: Span<UInt8>) -> Bool {
        guard let decoder = response.decoding?.decoder else { return false }
        response.decoding?.codedBytes += Int64(bytes.count)
        switch decoder.decode(bytes, { take($0) }) {
        case .decoded: return true
        case .refused: return false
        case .corrupt:
            if let findings = response.decoding?.corruption { note(findings) }
            return false
        }
    }

    private func take(_ bytes: Span<UInt8>) -> Bool {
        do throws(TransferFailure) {
            return try store(bytes)
        } catch {
            fail(error)
            return false
        }
    }

    /// Takes a piece of the body as it is to be stored; false when no more of it is wanted.
    private func store(_ bytes: Span<UInt8>) throws(TransferFailure) -> Bool {
        let now = move()
        recorder.didDeliver(count: bytes.count, at: now)
        if verdict?.isPassedOver ?? proxy.hasSequel { try countPassedOver(recorder.deliveredBytes) }
        if let excess = part.resumption?.excess(recorder.deliveredBytes) { throw excess }
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
        if verdict == nil { throw proxy.refusal(at: recorder.stage) }
        return false
    }

    /// Writes a piece of the body; on a full disk the cache's copy of the body gives way.
    private func write(_ bytes: Span<UInt8>) throws(SystemError) -> Bool {
        if let segment = part.segment {
            let isWanted = try segment.write(bytes)
            if !isWanted { response.isCutOff = true }
            return isWanted
        }
        do throws(SystemError) {
            return try response.sink.write(bytes)
        } catch {
            guard error.isOutOfRoom, caching?.giveWay(error) == true else { throw error }
            return try response.sink.write(bytes)
        }
    }

    // MARK: - Limits

    /// Takes a piece of a chunked body with its framing, which alone is no sign of life.
    ///
    /// The framing may be much longer than the body: extensions, leading zeros, chunks of one byte
    /// (RFC 9112 §7.1).
    func didReceiveChunks(_ count: Int) {
        // Earlier pieces were delivered by now.
        let received = recorder.receivedBodyBytes
        let body = response.decoding?.codedBytes ?? recorder.deliveredBytes
        let isWatched =
            switch verdict {
            // libcurl may discard the body, which `mayDiscard` watches.
            case .challenge, .sendUnasked, nil: false
            case .accept, .refuse, .redirect, .proceed, .stored: true
            }
        if isWatched, ResponseFraming.isTooMuch(received - body, around: body) {
            if !hasFailed {
                fail(
                    ExchangeStage.badResponse(
                        "the chunked body is nearly all framing: "
                            + "\(received) bytes on the wire for \(body) bytes "
                            + "of content"
                    )
                )
            }
            // libcurl calls `mayDiscard` after each piece, also without any of the body.
            handle.hearDiscardedBody()
        }
        recorder.didTransfer(.bodyReceived, count: count, at: .now)
    }

    /// Takes the count of a body that libcurl discards.
    func discard(received: Int64) throws(TransferFailure) {
        if response.discarded.didGrow(to: received) { _ = move() }
        // Only libcurl 7.88 reports the framing of the body; all versions report pieces without
        // body bytes.
        if response.parser.framing.isChunked, response.discarded.isStuck {
            throw excessBody(limit: nil)
        }
        try countPassedOver(max(received, recorder.receivedBodyBytes))
    }

    /// Counts the body of a response that another request follows.
    private func countPassedOver(_ count: Int64) throws(TransferFailure) {
        guard count <= Self.passedOverBodyLimit else {
            throw excessBody(limit: Self.passedOverBodyLimit)
        }
    }

    /// The failure of an unwanted body: that of a proxy's question where no response is judged.
    private func excessBody(limit: Int64?) -> TransferFailure {
        let stage = recorder.stage
        guard verdict == nil else { return stage.excessBody(of: head?.statusCode, limit: limit) }
        return proxy.excessQuestion(at: stage, head, limit: limit)
    }
}
