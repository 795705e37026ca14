internal import CurlKit
internal import SystemKit
internal import TransferModel

/// Decides which requests may use a stream of HTTP/2 or HTTP/3, and which bodies may arrive over
/// one, although libcurl may report a cut stream as complete.
///
/// libcurl before 8.0 does so when the server announces that it leaves out streams (GOAWAY,
/// RFC 9113 §6.8) while several share the connection. A value without I/O.
struct StreamTrust: Sendable, Hashable {
    /// Whether libcurl reports each stream that GOAWAY has cut.
    let detectsCuts: Bool

    /// Whether a request may use a stream.
    ///
    /// The runner may have to send the request again over HTTP/1.1. Each request that must not be
    /// repeated, or has a body, therefore goes over HTTP/1.1 from the start.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - carriesBody: Whether the request has a body.
    ///   - mayRepeat: Whether the task allows the request to leave once more.
    /// - Returns: Whether the request may offer more than HTTP/1.1.
    func mayCarry(_ method: String, carriesBody: Bool, mayRepeat: @autoclosure () -> Bool) -> Bool {
        detectsCuts || !carriesBody && (method == "GET" || method == "HEAD") && mayRepeat()
    }

    /// The evidence in a response's head and its task about the end of the body.
    struct Evidence {
        /// Whether the method or the status excludes a body.
        var hasNoBody = false
        /// Whether the runner knows how many bytes to count: by `Content-Length`, or by the range
        /// of a resumed download.
        var hasLength = false
        /// Whether the runner verifies the stored file: by the job's checksum, or by the digest in
        /// the response's fields.
        var isVerified = false
    }

    /// Whether the runner itself can vouch for the end of an accepted body.
    ///
    /// - Parameters:
    ///   - evidence: The known facts when the response's head is complete.
    ///   - protocolName: The ALPN name of the response's protocol.
    /// - Returns: Whether the body may be read; otherwise the request is sent again over HTTP/1.1.
    func accepts(_ evidence: Evidence, over protocolName: String?) -> Bool {
        detectsCuts || Self.isFramed(protocolName)
            || evidence.hasNoBody || evidence.hasLength || evidence.isVerified
    }

    /// Whether a response of this protocol has no stream, so that its end is seen in its framing or
    /// with its connection.
    static func isFramed(_ protocolName: String?) -> Bool {
        protocolName?.hasBytePrefix("http/1") == true
    }
}

extension StreamTrust.Evidence {
    /// The evidence in the head of an accepted response about the end of its body.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - response: The response that begins with the head.
    ///   - request: The task's request.
    ///   - method: The method of the answered request.
    ///   - isRest: Whether the body is the rest of a resumed download.
    init(
        of head: ResponseHead,
        in response: borrowing ResponseIntake,
        to request: borrowing AttemptRequest,
        method: String,
        isRest: Bool
    ) {
        hasNoBody = ResponseIntake.hasNoBody(head, to: method)
        hasLength = response.contentLength != nil || isRest
        guard case .file(let wanted) = request.sink else { return }
        // A digest of the coded or partial body does not apply to the file. Without libcrypto the
        // runner skips the server's digest.
        let hasDigest =
            response.decoding == nil && !head.hasNoContent && (head.statusCode != 206 || isRest)
        let announced =
            hasDigest ? ReprDigest.announced(in: head.fields, isWhole: !isRest) : nil
        isVerified =
            wanted.checksum != nil
            || announced.flatMap { MessageDigest($0.algorithm.family) } != nil
    }
}
