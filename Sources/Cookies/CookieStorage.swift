internal import SystemKit
internal import TransferModel

/// The cookies of one session, or of the sessions that share them; used by all engine threads.
package final class CookieStorage: Sendable {
    private let store: Lock<CookieStore>

    /// Creates a storage with the cookies kept before.
    package init(_ store: CookieStore = CookieStore()) {
        self.store = Lock(store)
    }

    /// Whether the storage has no cookies, not even expired ones.
    var isEmpty: Bool { store.withLock { $0.isEmpty } }

    /// Reads or changes the cookies; no other thread does so at the same time.
    func withStore<Result>(_ body: (inout CookieStore) -> Result) -> Result {
        store.withLock { body(&$0) }
    }

    /// The changed cookies that other runs of the job need, except confined ones.
    package var changes: [Cookie] {
        store.withLock { $0.changes.filter { !$0.isConfined } }
    }
}
