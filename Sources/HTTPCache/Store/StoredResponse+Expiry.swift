internal import TransferModel

extension StoredResponse {
    /// When it will be of no use any more, seconds since 1970: stale, without anything to validate
    /// it by.
    ///
    /// - Returns: nil when it can be validated then.
    var uselessFrom: Int64? {
        if Validators.hasAny(fields) { return nil }
        return responseTime.seconds + Freshness(of: self, now: responseTime).remaining
    }
}
