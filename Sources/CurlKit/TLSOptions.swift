internal import CCurl

/// Which TLS is spoken and whom it trusts, as libcurl takes it.
package struct TLSOptions: Sendable, Hashable {
    /// A version of TLS that a session may ask for.
    package enum Version: Sendable, Hashable {
        case tls12
        case tls13
    }

    /// The oldest TLS that is offered.
    package var minimumVersion: Version
    /// The newest; nil means whatever the library has.
    package var maximumVersion: Version?
    /// An absolute path to PEM roots; nil means the system's.
    package var caFile: String?
    /// `sha256//…`, several between semicolons; nil takes any key (`CURLOPT_PINNEDPUBLICKEY`).
    package var pinnedPublicKeys: String?
    /// Whether the server's certificate and its name are verified.
    package var isVerified: Bool

    package init(
        minimumVersion: Version = .tls12,
        maximumVersion: Version? = nil,
        caFile: String? = nil,
        pinnedPublicKeys: String? = nil,
        isVerified: Bool = true
    ) {
        self.minimumVersion = minimumVersion
        self.maximumVersion = maximumVersion
        self.caFile = caFile
        self.pinnedPublicKeys = pinnedPublicKeys
        self.isVerified = isVerified
    }
}

extension TLSOptions {
    /// The least and the greatest version, as `CURLOPT_SSLVERSION` takes them.
    var versions: Int {
        let minimum = minimumVersion == .tls13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2
        let maximum =
            switch maximumVersion {
            case .tls12: CURL_SSLVERSION_MAX_TLSv1_2
            case .tls13: CURL_SSLVERSION_MAX_TLSv1_3
            case nil: CURL_SSLVERSION_MAX_NONE
            }
        return Int(minimum) | Int(maximum)
    }
}
