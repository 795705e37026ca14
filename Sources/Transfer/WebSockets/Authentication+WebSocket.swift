internal import TransferModel

extension Authentication {
    /// The failure of a request whose credential needs a dialogue that a raw connection cannot
    /// have; nil for other requests.
    var webSocketFault: TransferFailure? {
        guard let name = easy?.nameOfDialogue else { return nil }
        var failure = TransferFailure(
            kind: .httpStatus,
            phase: .prepare,
            detail: "credentials of the method `\(name)` are not supported for WebSockets"
        )
        failure.httpStatus = 401
        failure.urlError = .userAuthenticationRequired
        failure.isPermanent = true
        failure.isKnownUnprocessed = true
        failure.help = "use `basic` or `bearer`"
        return failure
    }
}
