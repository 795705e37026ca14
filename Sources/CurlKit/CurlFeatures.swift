internal import CCurl

/// What the libcurl that is loaded was built with.
package struct CurlFeatures: Sendable, Hashable {
    /// The file that it was loaded from.
    package let path: String?
    /// The libraries behind HTTP/2 and HTTP/3 with their versions; nil without them.
    package let http2Library: String?
    package let http3Library: String?
    /// Versions of the libraries that codings are undone by; nil for what libcurl was built
    /// without.
    package let zlibVersion: String?
    package let brotliVersion: String?
    package let zstdVersion: String?
    /// The file of roots that certificates are checked against when nothing else is said.
    package let certificateFile: String?
    /// The folder of such roots.
    package let certificateFolder: String?
    package let hasIPv6: Bool
    /// Whether names are looked up aside, so that a slow resolver holds up nothing else.
    package let hasAsynchronousLookup: Bool
    /// Whether a proxy can be spoken to over TLS.
    package let hasEncryptedProxies: Bool
    package let hasNTLM: Bool
    /// Whether Negotiate is there, by GSS-API.
    package let hasNegotiate: Bool

    /// Asks libcurl; it must be loaded.
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
    /// Loads libcurl when it is not loaded yet, and tells what it can do.
    ///
    /// - Throws: `LoadFailure` without it, and when it is too old.
    package static func features() throws(LoadFailure) -> CurlFeatures {
        _ = try load()
        guard let facts = unsafe ccurl_version_info() else {
            throw LoadFailure(message: "libcurl cannot be loaded: it does not tell its version")
        }
        return unsafe CurlFeatures(facts)
    }
}
