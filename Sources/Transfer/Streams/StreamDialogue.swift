internal import SystemKit
internal import TransferModel

/// The conversation of a stream task over its raw connection, with the files of its steps and the
/// TLS that one step begins.
///
/// `StreamConversation` decides; this object has the effects.
final class StreamDialogue: Conversation {
    /// Owns this object.
    private unowned let host: any ConversationHost
    private var conversation: StreamConversation
    /// The file that the running step sends.
    private var source: (path: String, content: InputFile)?
    /// TLS, once a step has begun it.
    private var security: StreamSecurity?
    /// The last time for the end of TLS (close_notify) to leave; nil before the last step ends.
    private var farewellEnd: MonotonicTime?
    private var isAbandoned = false

    /// A peer that reads nothing delays the end by no more.
    private static let farewellTime = Duration.seconds(1)

    /// Begins the steps of an exchange whose connection is open.
    init(_ spec: StreamSpec, of host: any ConversationHost, at now: MonotonicTime) {
        self.host = host
        conversation = StreamConversation(
            spec,
            .init(
                clock: host.clock,
                idleLimit: host.idleLimit,
                requiresCloseNotify: host.requiresCloseNotify
            ),
            at: now
        )
        do throws(SystemError) {
            try host.openFile()
        } catch {
            conversation.end(with: TransferFailure(error, phase: .receive), at: now)
        }
        settle(at: now)
    }

    // MARK: - Conversation

    var wantsInput: Bool {
        if let security, !security.isOpen { return !isOver }
        return conversation.wantsInput
    }

    var hasOutput: Bool {
        guard let security else { return conversation.hasOutput }
        return security.hasOutput || security.isOpen && conversation.hasOutput
    }

    var endsSending: Bool { conversation.endsSending }
    var nextTime: MonotonicTime? { farewellEnd ?? conversation.nextTime }
    var failure: TransferFailure? { conversation.failure }

    var isOver: Bool {
        guard conversation.isOver else { return false }
        return farewellEnd == nil || isAbandoned
    }

    func takeOutput() -> [UInt8] {
        guard let security else { return conversation.takeOutput() }
        let bytes = security.isOpen ? conversation.takeOutput() : []
        do throws(TransferFailure) {
            return try security.takeOutput(with: bytes)
        } catch {
            conversation.end(with: error, at: .now)
            return []
        }
    }

    func didWriteSome(at now: MonotonicTime) {
        if security?.carriesData ?? true { conversation.didWriteSome(at: now) }
    }

    func didWrite(at now: MonotonicTime) {
        if farewellEnd != nil, security?.hasOutput != true { isAbandoned = true }
        if security?.carriesData ?? true { conversation.didWrite(at: now) }
        settle(at: now)
    }

    func receive(_ bytes: Span<UInt8>, at now: MonotonicTime) {
        if let security {
            decrypt(bytes, security, at: now)
        } else {
            conversation.receive(bytes, at: now)
        }
        writeFile(at: now)
        settle(at: now)
    }

    func receiveEnd(at now: MonotonicTime) {
        if let security, !security.hasPeerEnded {
            conversation.receiveCut(isInHandshake: !security.isOpen, at: now)
        } else {
            conversation.receiveEnd(at: now)
        }
        writeFile(at: now)
        settle(at: now)
    }

    func receiveCut(at now: MonotonicTime) {
        conversation.receiveCut(isInHandshake: false, at: now)
        writeFile(at: now)
        settle(at: now)
    }

    func end(with failure: TransferFailure, at now: MonotonicTime) {
        isAbandoned = true
        conversation.end(with: failure, at: now)
    }

    func excuseSilence(at now: MonotonicTime) { conversation.excuseSilence(at: now) }

    func tick(at now: MonotonicTime) {
        if let farewellEnd, now >= farewellEnd { isAbandoned = true }
        conversation.tick(at: now)
    }

    // MARK: - TLS

    /// Begins TLS where the running step does, and ends it with the conversation.
    private func settle(at now: MonotonicTime) {
        if conversation.wantsSecurity, security == nil {
            do throws(TransferFailure) {
                let begun = try host.beginSecurity()
                _ = try begun.advance(with: [UInt8]().span)
                security = begun
            } catch {
                conversation.end(with: error, at: now)
            }
        }
        guard let security, conversation.failure == nil else { return }
        if conversation.endsSending || conversation.isOver { security.end() }
        if conversation.isOver, farewellEnd == nil, security.hasOutput {
            farewellEnd = now + Self.farewellTime
        }
    }

    /// Takes encrypted bytes.
    private func decrypt(_ bytes: Span<UInt8>, _ security: StreamSecurity, at now: MonotonicTime) {
        do throws(TransferFailure) {
            if try security.advance(with: bytes) {
                conversation.didSecure(with: security.facts, at: now)
            }
            while true {
                let plain = try security.next()
                guard !plain.isEmpty else { break }
                conversation.receive(plain.span, at: now)
            }
            if security.hasPeerEnded { conversation.receiveEnd(at: now) }
        } catch {
            conversation.end(with: error, at: now)
        }
    }

    // MARK: - Result

    func complete(_ result: inout AttemptResult) {
        result.stream = conversation.record
        result.currentRequest = result.currentRequest.overStream
        result.countOfBytesSent = conversation.sentCount
        result.countOfBytesReceived = conversation.receivedCount
        if result.failure == nil {
            result.captured = conversation.captured
        } else if result.failure?.kind == .content {
            result.checks = [.init(.content, passed: false, actual: result.failure?.detail)]
        }
    }

    // MARK: - Files

    func moveFiles(at now: MonotonicTime) throws(TransferFailure) {
        // A step that begins takes the bytes that have arrived before, without new bytes.
        writeFile(at: now)
        while let wanted = conversation.wantedFile {
            do throws(TransferFailure) {
                let (piece, isLast) = try piece(of: wanted.path, at: wanted.offset)
                if isLast { source = nil }
                conversation.send(piece: piece, isLast: isLast, at: now)
            } catch {
                source = nil
                conversation.end(with: error, at: now)
            }
        }
    }

    private func writeFile(at now: MonotonicTime) {
        let bytes = conversation.takeFileBytes()
        guard !bytes.isEmpty else { return }
        do throws(SystemError) {
            try host.write(bytes.span)
        } catch {
            conversation.end(with: TransferFailure(error, phase: .receive), at: now)
        }
    }

    private func piece(
        of path: String,
        at offset: Int64
    ) throws(TransferFailure) -> (bytes: [UInt8], isLast: Bool) {
        do throws(SystemError) {
            let content: InputFile
            if let source, source.path == path {
                content = source.content
            } else {
                content = try InputFile(path: path)
                source = (path, content)
            }
            let size = content.identity.size
            let count = max(0, min(Int64(StreamConversation.pieceLimit), size - offset))
            let bytes = count > 0 ? try content.read(at: offset, count: Int(count)) : []
            if bytes.count == count, content.isUnchanged { return (bytes, offset + count >= size) }
        } catch {
            throw TransferFailure(reading: error, phase: .send)
        }
        var failure = TransferFailure(
            kind: .localIO,
            phase: .send,
            detail: "\(path) has changed while it was sent"
        )
        failure.urlError = .requestBodyStreamExhausted
        failure.isPermanent = true
        throw failure
    }
}
