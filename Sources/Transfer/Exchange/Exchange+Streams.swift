internal import CurlKit
internal import TransferModel

// Asks `StreamTrust` about the body of a response.
extension Exchange {
    /// Whether the accepted body may be read; otherwise the exchange ends with its head, and the
    /// request is sent again over HTTP/1.1.
    func mayRead(_ head: ResponseHead) -> Bool {
        let trust = session.streamTrust
        if trust.detectsCuts { return true }
        let isRest = part.isRest
        let evidence = StreamTrust.Evidence(
            hasNoBody: ResponseIntake.hasNoBody(head, to: hop.method),
            hasLength: response.contentLength != nil || isRest,
            isVerified: isVerified(head, isRest: isRest)
        )
        if trust.accepts(evidence, over: handle.networkProtocolName) { return true }
        response.isUnvouched = true
        response.isCutOff = true
        return false
    }

    /// Whether a digest decides about the file that the body becomes.
    private func isVerified(_ head: ResponseHead, isRest: Bool) -> Bool {
        guard case .file(let wanted) = request.sink else { return false }
        if wanted.checksum != nil { return true }
        // A digest of the coded or partial body does not apply to the file. Without libcrypto the
        // runner skips the server's digest.
        guard response.decoding == nil, !head.hasNoContent, head.statusCode != 206 || isRest,
            let announced = ReprDigest.announced(in: head.fields, isWhole: !isRest)
        else { return false }
        return MessageDigest(announced.algorithm.family) != nil
    }
}
