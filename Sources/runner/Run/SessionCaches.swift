import HTTPCache
import SystemKit
import Transfer
import TransferModel

/// The caches of a run's sessions.
///
/// A cache that cannot be used does not fail the run; a warning says so.
struct SessionCaches {
    /// One for each session, in their order; nil for one that keeps no responses.
    let caches: [HTTPCache?]
    /// Receives the unsafe requests of all sessions, which invalidate cached responses.
    let invalidation: Invalidation

    /// - Parameters:
    ///   - sessions: The sessions of the plan, with their logins.
    ///   - folder: The user's cache folder; nil when nothing names one.
    ///   - findSecret: Finds the job's secrets in a text.
    ///   - isReadOnly: Whether the disk stays as it is.
    init(
        of sessions: [SessionConfiguration],
        folder: String?,
        findSecret: SecretFinder?,
        isReadOnly: Bool = false
    ) {
        var shared: [String: DiskStore] = [:]
        var caches: [HTTPCache?] = []
        for session in sessions {
            guard let rule = session.keptCache,
                let store = Self.store(of: session, rule, folder, &shared, isReadOnly)
            else {
                caches.append(nil)
                continue
            }
            caches.append(
                HTTPCache(
                    store: store,
                    staleIfError: rule.staleIfError,
                    storingRules: rule.storingRules,
                    partition: Self.partition(of: session),
                    fingerprint: { Engine.sha256(of: $0) },
                    findSecret: findSecret
                )
            )
        }
        self.caches = caches
        var others: [any CacheStore] = []
        if let folder, !shared.values.contains(where: { $0.directory == folder }) {
            let capacity = URLCacheConfiguration().diskCapacity
            others.append(DiskStore(directory: folder, capacity: capacity))
        }
        invalidation = Invalidation(
            in: caches.compactMap(\.self),
            and: others,
            fingerprint: { Engine.sha256(of: $0) }
        )
    }

    /// Ends the background work of all caches and warns of each fault once.
    func close() {
        var faults: Set<String> = []
        for case let cache? in caches {
            cache.close()
            if let fault = cache.fault, faults.insert(fault).inserted {
                StandardError.say("warning: the cache is not used: \(fault)")
            }
        }
    }

    /// A store on disk for sessions that persist data, one for each folder; otherwise in memory.
    private static func store(
        of session: SessionConfiguration,
        _ rule: URLCacheConfiguration,
        _ folder: String?,
        _ shared: inout [String: DiskStore],
        _ isReadOnly: Bool
    ) -> (any CacheStore)? {
        guard session.kind != .ephemeral else { return MemoryStore(capacity: rule.memoryCapacity) }
        guard let directory = rule.directory ?? folder else { return nil }
        let name = "\(rule.diskCapacity) \(directory)"
        if let store = shared[name] { return store }
        let store = DiskStore(
            directory: directory,
            capacity: rule.diskCapacity,
            isReadOnly: isReadOnly
        )
        shared[name] = store
        return store
    }

    /// The part of a cache that a session reads: sessions with other trust or other logins share no
    /// response.
    ///
    /// Only the hash of this text is written to the disk.
    static func partition(of session: SessionConfiguration) -> String {
        var parts: [String] = []
        let tls = session.tls
        if tls.serverTrust != .system { parts.append(tls.serverTrust.rawValue) }
        if let file = tls.caFile {
            parts.append("ca \(file)")
        } else {
            parts += RootsEnvironment(ProcessContext.variable).assignments
        }
        parts += tls.pinnedPublicKeys
        for credential in session.credentials {
            // The description of a proof omits its secrets.
            parts.append("\(credential.space) \(credential.proof)")
            for secret in credential.secrets { secret.withText { parts.append($0) } }
            if case .clientCertificate(let certificate) = credential.proof {
                let file = try? InputFile(path: certificate.certificate)
                parts.append(file.map { "\($0.identity)" } ?? "")
            }
        }
        return parts.joined(separator: "\n")
    }
}
