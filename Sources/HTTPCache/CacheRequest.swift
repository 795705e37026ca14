package import TransferModel

/// A request as the cache sees it.
///
/// A class, because every decision about a request is handed it whole.
package final class CacheRequest: Sendable {
    /// In upper case as written.
    package let method: String
    package let url: HTTPURL
    /// All that is sent and that a response may vary by, cookies and what libcurl would add among
    /// it.
    package let fields: [HeaderField]
    package let policy: RequestCachePolicy
    /// Whether who asks may have the body already, as a file: it is enough to know that it still
    /// holds.
    package let mayHaveCopy: Bool
    /// Whether a response that does not say how long it is fresh may be taken for fresh (RFC 9111
    /// §4.2.2).
    let mayGuess: Bool
    package let control: CacheControl
    /// The value of its `Range`; nil without one.
    package let range: String?
    /// The names of its fields that say who asks, in small letters.
    let identifying: [String]
    /// Tells apart who has nothing in common although the fields are the same; a fingerprint, nil
    /// for everybody else.
    let partition: String?

    package init(
        method: String,
        url: HTTPURL,
        fields: [HeaderField],
        policy: RequestCachePolicy = .useProtocolCachePolicy,
        mayHaveCopy: Bool = false,
        mayGuess: Bool = true
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.policy = policy
        self.mayHaveCopy = mayHaveCopy
        self.mayGuess = mayGuess
        control = CacheControl(request: fields)
        range = fields.values(of: "range").first
        partition = nil
        var identifying = ["authorization", "cookie"].filter { fields.contains($0) }
        for field in fields where field.isCaptured {
            let name = field.name.lowercased()
            if !identifying.contains(name) { identifying.append(name) }
        }
        self.identifying = identifying
    }

    private init(_ request: CacheRequest, identifying: [String], partition: String?) {
        method = request.method
        url = request.url
        fields = request.fields
        policy = request.policy
        mayHaveCopy = request.mayHaveCopy
        mayGuess = request.mayGuess
        control = request.control
        range = request.range
        self.identifying = identifying
        self.partition = partition
    }

    /// The request of somebody in particular.
    ///
    /// - Parameters:
    ///   - partition: What tells those apart who have nothing in common.
    ///   - findSecret: Finds the job's secrets in a text: a field that has one says who asks.
    /// - Returns: The same request.
    func identified(by partition: String?, _ findSecret: SecretFinder?) -> CacheRequest {
        if partition == nil, findSecret == nil { return self }
        var identifying = identifying
        for field in fields where findSecret?(field.value) != nil {
            let name = field.name.lowercased()
            if !identifying.contains(name) { identifying.append(name) }
        }
        return CacheRequest(self, identifying: identifying, partition: partition)
    }

    /// Whether it is one that stored responses answer.
    package var isAnswerable: Bool { method == "GET" || method == "HEAD" }

    /// Whether it has a condition of its own, which is for the origin (RFC 9111 §4.3.2).
    package var hasCondition: Bool {
        fields.contains { field in
            guard let first = field.name.utf8.first, first.asciiLowercased == UInt8(ascii: "i")
            else { return false }
            return field.name.lowercased().hasPrefix("if-")
        }
    }

    /// Whether only what is stored is wanted (RFC 9111 §5.2.1.7).
    var wantsStoredOnly: Bool {
        policy == .returnCacheDataDontLoad || control.flags.contains(.onlyIfCached)
    }

    /// What caches on the way are told, when the request's policy is to get past them; a job's own
    /// words go first.
    package var fieldsForOtherCaches: [HeaderField] {
        let added: [HeaderField]
        switch policy {
        case .reloadIgnoringLocalAndRemoteCacheData:
            added = [
                HeaderField(name: "Cache-Control", value: "no-cache"),
                HeaderField(name: "Pragma", value: "no-cache"),
            ]
        case .reloadRevalidatingCacheData:
            // It is the origin that is to confirm it.
            added = [HeaderField(name: "Cache-Control", value: "max-age=0")]
        default: return []
        }
        return added.filter { !fields.contains($0.name) }
    }
}
