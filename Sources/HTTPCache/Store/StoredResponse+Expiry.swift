internal import TransferModel

extension StoredResponse {
    /// When the response becomes useless, seconds since 1970: stale, and without a validator.
    ///
    /// - Returns: nil when the response can be validated then.
    var uselessFrom: Int64? {
        if Validators.hasAny(fields) { return nil }
        return responseTime.seconds + Freshness(of: self, now: responseTime).remaining
    }
}
