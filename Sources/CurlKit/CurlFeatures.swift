internal import CCurl

/// The build features of the loaded libcurl.
package struct CurlFeatures: Sendable, Hashable {
    /// The file from which it was loaded.
    package let path: String?
    /// The libraries for HTTP/2 and HTTP/3 with their versions; nil if not supported.
    package let http2Library: String?
    /// Such as `ngtcp2/1.6.0 nghttp3/1.4.0`; nil if HTTP/3 is not supported.
    package let http3Library: String?
    /// The versions of the decompression libraries; nil if not supported.
    package let zlibVersion: String?
    /// The version of the library for `br`; nil if not supported.
    package let brotliVersion: String?
    /// The version of the library for `zstd`; nil if not supported.
    package let zstdVersion: String?
    /// The default file of trusted roots.
    package let certificateFile: String?
    /// The default folder of trusted roots.
    package let certificateFolder: String?
    /// Whether IPv6 addresses are supported (`CURL_VERSION_IPV6`).
    package let hasIPv6: Bool
    /// Whether name lookups are asynchronous, so that a slow resolver blocks nothing else.
    package let hasAsynchronousLookup: Bool
    /// Whether proxies over TLS are supported.
    package let hasEncryptedProxies: Bool
    /// Whether NTLM is supported (`CURL_VERSION_NTLM`).
    package let hasNTLM: Bool
    /// Whether Negotiate is supported, by GSS-API.
    package let hasNegotiate: Bool

    /// Queries libcurl, which must be loaded.
    init(_ facts: UnsafePointer<curl_version_info_data>) {
        let features = unsafe facts.pointee.features
        func has(_ flag: Int32) -> Bool { features & flag != 0 }
        func text(_ pointer: UnsafePointer<CChar>?) -> String? {
            unsafe pointer.flatMap { unsafe $0.pointee == 0 ? nil : String(cString: $0) }
        }
        path = unsafe text(ccurl_path())
        http2Library = unsafe text(facts.pointee.nghttp2_version).map { "nghttp2/\($0)" }
        http3Library = unsafe text(facts.pointee.quic_version)
        zlibVersion = unsafe text(facts.pointee.libz_version)
        brotliVersion = unsafe text(facts.pointee.brotli_version)
        zstdVersion = unsafe text(facts.pointee.zstd_version)
        certificateFile = unsafe text(facts.pointee.cainfo)
        certificateFolder = unsafe text(facts.pointee.capath)
        hasIPv6 = has(CURL_VERSION_IPV6)
        hasAsynchronousLookup = has(CURL_VERSION_ASYNCHDNS)
        hasEncryptedProxies = has(CURL_VERSION_HTTPS_PROXY)
        hasNTLM = has(CURL_VERSION_NTLM)
        hasNegotiate = has(CURL_VERSION_SPNEGO)
    }
}

extension CurlLibrary {
    /// Loads libcurl if needed, and returns its features.
    ///
    /// - Throws: `LoadFailure` when libcurl is missing or too old.
    package static func features() throws(LoadFailure) -> CurlFeatures {
        _ = try load()
        guard let facts = unsafe ccurl_version_info() else {
            throw LoadFailure(message: "libcurl cannot be loaded: it does not tell its version")
        }
        return unsafe CurlFeatures(facts)
    }
}
