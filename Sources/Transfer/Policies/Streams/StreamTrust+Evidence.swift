internal import CurlKit
internal import TransferModel

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
