internal import JSON
internal import SystemKit
internal import TransferModel
internal import WebSockets

/// The parts of a response that arrives.
///
/// A class, so that its bytes can be read while the response changes.
final class PartIntake {
    let rule: MixedReplaceRule
    /// The task's requirements for each part.
    let expectation: Expectation
    /// The method of the answered request.
    let method: String
    var splitter: PartSplitter
    /// The number of whole parts.
    private(set) var count = 0
    /// The head of the running part.
    private(set) var head: ResponseHead
    /// The running part, if each part becomes a line.
    private var collected: [UInt8] = []

    /// The parts of a response; nil for another response.
    ///
    /// - Throws: A failure for a response without a usable boundary.
    init?(
        _ head: ResponseHead,
        for request: borrowing AttemptRequest,
        _ method: String
    ) throws(TransferFailure) {
        guard let rule = request.mixedReplace, PartSplitter.applies(to: head) else { return nil }
        self.rule = rule
        self.method = method
        expectation = request.expectation
        self.head = head
        do throws(PartFault) {
            splitter = try PartSplitter(head)
        } catch {
            throw Self.failure(error)
        }
    }

    /// The next event; nil when more bytes must arrive.
    func next() throws(TransferFailure) -> PartSplitter.Event? {
        do throws(PartFault) {
            return try splitter.next()
        } catch {
            throw Self.failure(error)
        }
    }

    /// Begins a part.
    func begin(_ fields: HeaderFields) {
        head.fields = fields
        collected.removeAll(keepingCapacity: true)
    }

    /// The announced length of the running part; nil without one.
    var expectedCount: Int64? { head.fields["content-length"].flatMap { Int64($0) } }

    /// Takes bytes of a part that becomes a line.
    func collect(_ bytes: Span<UInt8>) throws(TransferFailure) {
        guard collected.count + bytes.count <= BodyCheck.keptLimit else {
            var failure = TransferFailure(
                kind: .tooLarge,
                phase: .receive,
                detail:
                    "part \(count + 1) is larger than \(BodyCheck.keptLimit) bytes, the largest "
                    + "part that becomes a line"
            )
            failure.isPermanent = true
            failure.urlError = .dataLengthExceedsMaximum
            failure.help = "keep only the last part with `keep: last`"
            throw failure
        }
        collected.append(bytes)
    }

    /// Records that the running part is complete.
    ///
    /// - Returns: Whether no other part is wanted.
    func end() -> Bool {
        count += 1
        return count == rule.stopAfter
    }

    /// The running part as a line of JSON, as a message of a WebSocket.
    func line(at date: Timestamp) -> [UInt8] {
        let type = head.mimeType ?? "text/plain"
        let isText =
            type.hasBytePrefix("text/") || type == "application/json" || type.hasByteSuffix("+json")
        let text = isText ? String(validating: collected, as: UTF8.self) : nil
        var message = ReceivedMessage(
            text.map { Message(text: $0) } ?? Message(binary: collected),
            at: date
        )
        var line: [UInt8] = []
        var formatter = TimestampFormatter()
        message.appendLine(to: &line, &formatter)
        return line
    }

    private static func failure(_ fault: PartFault) -> TransferFailure {
        ExchangeStage.badResponse(
            "the multipart/x-mixed-replace response breaks its format: \(fault.detail)"
        )
    }
}
