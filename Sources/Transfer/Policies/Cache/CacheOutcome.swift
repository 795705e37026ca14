internal import HTTPCache
internal import TransferModel

/// The decision about stored responses that is made once the body has been judged.
struct CacheOutcome: Sendable {
    let cache: HTTPCache
    /// nil when nothing is stored.
    let draft: CacheDraft?
    /// The URLs whose stored responses answered, including redirects.
    let used: [TransferURL]

    /// Stores a correct response, and removes the stored ones of a wrong result.
    func end(_ result: inout AttemptResult) {
        let isWrong = result.failure?.isAboutContent == true
        if let draft { result.cache?.storing = isWrong ? .rejected : draft.finish() }
        if isWrong { for url in used { cache.forget(url) } }
    }
}
