internal import CCurl

/// The TLS versions and trusted certificates, for libcurl.
package struct TLSOptions: Sendable, Hashable {
    /// A TLS version for the minimum or the maximum.
    package enum Version: Sendable, Hashable {
        case tls12
        case tls13
    }

    /// The oldest offered version.
    package var minimumVersion = Version.tls12
    /// The newest offered version; nil for the library's newest.
    package var maximumVersion: Version?
    /// An absolute path to PEM roots; nil means the system's.
    package var caFile: String?
    /// The file of the system's roots; nil means libcurl's.
    package var systemFile: String?
    /// The folders of the system's roots, separated by colons; nil means libcurl's.
    package var systemFolder: String?
    /// `sha256//…`, several separated by semicolons; nil accepts any key
    /// (`CURLOPT_PINNEDPUBLICKEY`).
    package var pinnedPublicKeys: String?
    /// Whether the server's certificate and name are verified.
    package var isVerified = true

    /// Creates the default options: TLS 1.2 or newer, verified by the system's roots.
    package init() {}
}

extension TLSOptions {
    /// The minimum and maximum version for `CURLOPT_SSLVERSION`.
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
