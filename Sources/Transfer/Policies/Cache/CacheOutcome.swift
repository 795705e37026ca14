internal import HTTPCache
internal import TransferModel

/// What becomes of a stored response, or of one that may be stored, when the body has been judged.
struct CacheOutcome: Sendable {
    let cache: HTTPCache
    /// nil when nothing is to be stored.
    let draft: CacheDraft?
    /// Whose stored responses have answered, redirects among them.
    let used: [HTTPURL]

    /// Stores what is right, and forgets what is not.
    func end(_ result: inout AttemptResult) {
        let isWrong = result.failure?.isAboutContent == true
        if let draft { result.cache?.storing = isWrong ? .rejected : draft.finish() }
        if isWrong { for url in used { cache.forget(url) } }
    }
}
