internal import SystemKit
package import TransferModel

/// A request as the cache sees it.
///
/// A class, because each decision takes the whole request.
package final class CacheRequest: Sendable {
    /// In upper case as written.
    package let method: String
    /// The URL, by which stored responses are found.
    package let url: TransferURL
    /// All sent fields that a response may vary by, including cookies and libcurl's own fields.
    package let fields: [HeaderField]
    /// How the request uses stored responses.
    package let policy: RequestCachePolicy
    /// Whether the requesting task may already have the body as a file, so that a confirmation is
    /// enough.
    package let mayHaveCopy: Bool
    /// Whether to guess the freshness of a response that does not state it (RFC 9111 §4.2.2).
    let mayGuess: Bool
    /// The directives of its `Cache-Control` or `Pragma`.
    package let control: CacheControl
    /// The value of its `Range`; nil without one.
    package let range: String?
    /// The lower-case names of the fields that identify the requesting user, or another site at
    /// the URL's server.
    let identifying: [String]
    /// A fingerprint that separates sessions with other trust or logins; nil when none is needed.
    let partition: String?

    /// Creates a request without a partition.
    package init(
        method: String,
        url: TransferURL,
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
        var identifying = ["authorization", "cookie", HostField.name].filter { fields.contains($0) }
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

    /// Adds the partition and the fields with secrets to the identifying properties.
    ///
    /// - Parameters:
    ///   - partition: Separates sessions with other trust or logins.
    ///   - findSecret: Finds the job's secrets in a text; a field with a secret identifies the
    ///     user.
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

    /// Whether stored responses may answer the request.
    package var isAnswerable: Bool { method == "GET" || method == "HEAD" }

    /// Whether the request has its own condition.
    package var hasCondition: Bool { fields.contains(where: Self.isCondition) }

    /// Whether the request has a condition that only the origin evaluates (RFC 9111 §4.3.2).
    var hasConditionForOrigin: Bool {
        fields.contains {
            Self.isCondition($0) && !Self.evaluated.contains($0.name.lowercased())
        }
    }

    /// The conditions that a cache evaluates.
    private static let evaluated = ["if-none-match", "if-modified-since", "if-range"]

    private static func isCondition(_ field: HeaderField) -> Bool {
        guard let first = field.name.utf8.first, first.asciiLowercased == UInt8(ascii: "i") else {
            return false
        }
        return field.name.lowercased().hasBytePrefix("if-")
    }

    /// Whether only a stored response is wanted (RFC 9111 §5.2.1.7).
    var wantsStoredOnly: Bool {
        policy == .returnCacheDataDontLoad || control.flags.contains(.onlyIfCached)
    }

    /// Fields that make caches on the way ask the origin, as the policy demands; the job's own
    /// fields take precedence.
    package var fieldsForOtherCaches: [HeaderField] {
        let added: [HeaderField]
        switch policy {
        case .reloadIgnoringLocalAndRemoteCacheData:
            added = [
                HeaderField(name: "Cache-Control", value: "no-cache"),
                HeaderField(name: "Pragma", value: "no-cache"),
            ]
        case .reloadRevalidatingCacheData:
            // The origin itself confirms the response.
            added = [HeaderField(name: "Cache-Control", value: "max-age=0")]
        default: return []
        }
        return added.filter { !fields.contains($0.name) }
    }
}
