internal import TransferModel

extension RedirectRule {
    /// Whether another request may follow a redirect; otherwise the response is the result.
    ///
    /// A `Location` without a usable URL leads on, to a failure that tells so.
    func leadsOn(_ head: ResponseHead, from url: HTTPURL) -> Bool {
        guard !decisions.isEmpty else { return follow != .never }
        let target = head.fields["location"].flatMap(url.resolving)
        return follow(to: target?.origin) != .never
    }
}
