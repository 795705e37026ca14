internal import CurlKit
internal import SystemKit
internal import TransferModel

extension Authentication {
    /// The value of `Authorization` for a request that the runner sends itself.
    ///
    /// - Parameter request: The request with all its other fields.
    /// - Returns: Nil without a credential, and for Digest before the server has asked.
    func fieldValue(for request: RequestSpec) -> String? {
        switch easy {
        case .basic(let user, let password):
            return "Basic " + Base64.encode(Array("\(user):\(password)".utf8))
        case .bearer(let token): return "Bearer " + token
        case .digest(let user, let password):
            guard let digestChallenge else { return nil }
            return DigestAnswer(
                digestChallenge,
                user: user,
                password: password,
                clientNonce: DigestAnswer.newNonce()
            )?.fieldValue(method: request.method, target: request.url.requestTarget)
        case .awaited, .ntlm, .negotiate, nil: return nil
        }
    }
}
