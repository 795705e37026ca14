internal import SystemKit
internal import TransferModel

/// The received part of the current exchange's response, and the decisions about it.
///
/// It is not copyable: an attempt, which is a class, would copy it whole for each question.
struct ResponseIntake: ~Copyable {
    var parser = ResponseHeadParser()
    /// The final head; nil until it is complete.
    var head: ResponseHead?
    /// nil until the head is judged.
    var verdict: ResponseVerdict?
    var sink = ResponseSink()
    /// The destination of the body, with the name that the server gave it; nil for no file, and
    /// while the body is too small for the file that it may become.
    var destination: TaskSpec.Destination? {
        get { sink.isBelowFileSize ? nil : chosenDestination }
        set { chosenDestination = newValue }
    }
    private(set) var chosenDestination: TaskSpec.Destination?
    /// The parts of the body; nil for a body that is stored as sent.
    var parts: PartIntake?
    /// Whether the file that the server named exists and stays, so that the body is not wanted.
    var isUnchanged = false
    /// Whether the body is not wanted because the task only asks the server; `isUnchanged` is true,
    /// too.
    var isAsked = false
    /// Whether the attempt kept libcurl from another request of its own: the received part of this
    /// response stays.
    var isCutOff = false
    /// Whether nothing could vouch for the end of the body, so that it is not read and the request
    /// is sent again over HTTP/1.1.
    var isUnvouched = false
    /// Whether the server closed the TLS connection without an announcement, which is an error to
    /// libcurl.
    var hasUnannouncedEnd = false
    /// The length of the stored body that answers; nil for a response from the network.
    var servedLength: Int64?
    /// The program's words about its body; nil for a response of HTTP.
    var programFraming: ProgramFraming?
    /// Whether the body is known to have ended.
    var isWhole = false
    /// nil when the body is stored as sent.
    var decoding: BodyDecoding?
    /// The progress of a body that libcurl discards.
    var discarded = DiscardedBody()
    /// nil without expectations for the body.
    var bodyCheck: BodyCheck?
    /// Whether the existing file already has the body of the stored response and stays.
    var keepsFile = false
    /// When to keep a body in memory for later runs; nil for never.
    var partTime: MonotonicTime?

    /// The announced length of the body; nil without one.
    var contentLength: Int64? {
        if let servedLength { return servedLength }
        if let programFraming { return programFraming.length }
        return head == nil ? nil : parser.framing.contentLength
    }

    /// Whether the body's end is known by more than the end of the connection or the stream.
    ///
    /// The last frame of a stream says that it is the last (RFC 9113 §8.1). But libcurl also
    /// reports a stream as ended that the server has reset with NO_ERROR, so that a stream vouches
    /// for nothing.
    var isFramed: Bool {
        contentLength != nil || parser.framing.isChunked || programFraming?.isEnded == true
    }

    /// Whether a response ends with its head (RFC 9112 §6.3).
    static func hasNoBody(_ head: ResponseHead, to method: String) -> Bool {
        head.statusCode == 204 || head.statusCode == 304 || method == "HEAD"
    }

    /// Whether an end of the body that libcurl reports is no mere end of the connection.
    func isDelimited(to method: String, over protocolName: String?) -> Bool {
        guard let head else { return false }
        return Self.hasNoBody(head, to: method) || isFramed
            || protocolName?.hasBytePrefix("http/1") == false
    }

    /// The failure of an accepted body whose length is not the announced one, as counted here: the
    /// runner does not rely on libcurl's count.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - received: The bytes of the body before its coding is undone.
    /// - Returns: nil for the right length, and for a response without one.
    func miscount(of method: String, received: Int64) -> TransferFailure? {
        guard case .accept = verdict, let head, let length = contentLength, received != length,
            !Self.hasNoBody(head, to: method)
        else { return nil }
        return ExchangeStage.truncated("the body ended after \(received) of \(length) bytes")
    }

    /// The failure of a chunked body that is nearly all framing, which may be much longer than the
    /// body: extensions, leading zeros, chunks of one byte (RFC 9112 §7.1); nil for none.
    ///
    /// - Parameters:
    ///   - received: The bytes of the body with its framing.
    ///   - delivered: The bytes of the body.
    /// - Returns: The failure.
    func excessFraming(received: Int64, delivered: Int64) -> TransferFailure? {
        switch verdict {
        // libcurl may discard the body, which `discarded` watches.
        case .challenge, .sendUnasked, nil: return nil
        case .accept, .refuse, .redirect, .proceed, .stored: break
        }
        let body = decoding?.codedBytes ?? delivered
        guard ResponseFraming.isTooMuch(received - body, around: body) else { return nil }
        return ExchangeStage.badResponse(
            "the chunked body is nearly all framing: "
                + "\(received) bytes on the wire for \(body) bytes of content"
        )
    }

    /// The source that says that the body is whole: its length or its framing, or none when only
    /// the end of the connection or the stream did.
    func voucher(to method: String) -> BodyVoucher {
        guard let head else { return .none }
        return Self.hasNoBody(head, to: method) || isFramed ? .length : .none
    }

    /// The server's digest of the stored bytes; nil for decoded bodies.
    func announcedDigest(to method: String, isRest: Bool) -> Checksum? {
        guard destination != nil, decoding == nil, method != "HEAD", let head,
            // A digest of the whole body does not apply to a requested part or to a missing body.
            head.statusCode == 206 ? isRest : !head.hasNoContent
        else { return nil }
        // The parser has not read the head of a stored or local response.
        guard parser.mayHaveDigest || servedLength != nil else { return nil }
        return ReprDigest.announced(in: head.fields, isWhole: !isRest)
    }

    /// Whether the whole body of a response has come after which libcurl sends another request;
    /// libcurl does not wait for a body that ends with its connection.
    func hasPassedOverAll(of method: String, received: Int64, over protocolName: String?) -> Bool {
        guard method != "HEAD" else { return true }
        if let length = parser.framing.contentLength { return received >= length }
        return protocolName == "h2" || parser.framing.isChunked && !endsConnection
    }

    /// Whether the response says that its connection ends with it (RFC 9112 §9.6).
    private var endsConnection: Bool {
        head?.fields.values(of: "connection").contains { $0.lowercased().contains("close") }
            == true
    }

    /// Whether neither a length, framing nor digest can prove that an accepted body is complete.
    func lacksProof(to method: String, isRest: Bool) -> Bool {
        guard case .accept = verdict, let head, !isFramed, method != "HEAD", !head.hasNoContent
        else { return false }
        return destination?.checksum == nil && announcedDigest(to: method, isRest: isRest) == nil
    }

    /// The number of bytes to store, once the head is accepted; the length of a decoded body is
    /// known at its end.
    var expectedCount: Int64? { decoding == nil ? contentLength : nil }

    /// Prepares to decode an accepted body; findings end the transfer.
    mutating func decode(
        _ head: ResponseHead,
        for request: borrowing AttemptRequest,
        _ method: String
    ) -> Findings? {
        if request.isDownload,
            let findings = BodyCheck.missingContent(head, request.expectation)
        {
            return findings
        }
        guard request.decodesBody, method != "HEAD", !head.hasNoContent else { return nil }
        return beginDecoding(head, mayKeepCoding: !request.isDownload)
    }

    /// Prepares to check an accepted body; findings end the transfer.
    mutating func check(
        _ head: ResponseHead,
        for request: borrowing AttemptRequest,
        _ method: String,
        start: Int64
    ) -> Findings? {
        bodyCheck = BodyCheck(request.expectation, head: head, method: method, start: start)
        let count = expectedCount
        return bodyCheck?.announce(count)
    }

    /// Begins to decode a body that has a content coding; findings end the transfer.
    ///
    /// A body with an unknown coding may be kept as sent, as URLSession does; a stored file must
    /// have the form that the job says.
    mutating func beginDecoding(_ head: ResponseHead, mayKeepCoding: Bool) -> Findings? {
        do throws(DecodingFault) {
            decoding = try BodyDecoding.make(head)
            return nil
        } catch {
            return mayKeepCoding ? nil : error.findings(expected: BodyDecoding.acceptEncoding)
        }
    }

    /// Judges the whole body: its coding first, then the task's expectations; nil without any.
    mutating func judgeBody(of method: String) -> Findings? {
        let hasNoContent = method == "HEAD" || head?.hasNoContent == true
        return decoding?.findingsAtEnd(mayBeEmpty: hasNoContent || isFramed) ?? bodyCheck?.end()
    }

    /// Prepares for the file of a conversation, unless another task has a file of that name.
    mutating func open(
        _ file: TaskSpec.Destination,
        for task: Int,
        _ claims: DestinationClaims?
    ) throws(SystemError) {
        if file.isNamedByPeer, let owner = try claims?.claim(file, for: task) {
            let reason = "it belongs to \(owner)"
            throw .notPermitted("write", file.displayPath, reason: reason)
        }
        destination = file
        try sink.open(file, expectedCount: nil)
    }

    /// Prepares for the response of another exchange.
    mutating func reset() { self = ResponseIntake() }
}

/// How a program frames the body of its response.
struct ProgramFraming {
    /// The announced length; nil when the program does not know it.
    var length: Int64?
    /// Whether the program has said that the body is whole.
    var isEnded = false
}

/// The progress of a body that libcurl discards.
struct DiscardedBody {
    /// The most bytes of a body that is discarded.
    static let limit: Int64 = 1 << 20
    /// The most consecutive pieces without body bytes: a chunk's size and line ends may come in
    /// many pieces.
    private static let mostEmptyPieces = 256

    /// The body bytes that libcurl reported.
    private(set) var count: Int64 = 0
    private var emptyPieces = 0

    /// Whether chunks contain only framing, such as endless extensions (RFC 9112 §7.1.1).
    ///
    /// Valid for chunked framing only: libcurl also reports a body when another stream of the
    /// connection progressed.
    var isStuck: Bool { emptyPieces > Self.mostEmptyPieces }

    /// Takes the body bytes so far; returns whether they increased.
    mutating func didGrow(to count: Int64) -> Bool {
        guard count > self.count else {
            emptyPieces += 1
            return false
        }
        self.count = count
        emptyPieces = 0
        return true
    }
}
