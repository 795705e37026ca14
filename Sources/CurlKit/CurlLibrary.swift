internal import CCurl

/// The libcurl loaded by this process.
package struct CurlLibrary: Sendable, Hashable {
    /// Such as `7.88.1`.
    package let version: String
    /// Such as `OpenSSL/3.0.19`; nil without TLS.
    package let tlsVersion: String?
    /// `0xXXYYZZ`: 0x075801 is 7.88.1.
    package let versionNumber: Int
    /// Whether HTTP/2 is supported (`CURL_VERSION_HTTP2`).
    package let hasHTTP2: Bool
    /// Whether HTTP/3 is supported (`CURL_VERSION_HTTP3`).
    package let hasHTTP3: Bool

    /// Creates a description of a libcurl; `load` describes the loaded one.
    package init(
        version: String,
        tlsVersion: String?,
        versionNumber: Int,
        hasHTTP2: Bool,
        hasHTTP3: Bool
    ) {
        self.version = version
        self.tlsVersion = tlsVersion
        self.versionNumber = versionNumber
        self.hasHTTP2 = hasHTTP2
        self.hasHTTP3 = hasHTTP3
    }

    /// Whether libcurl reports each HTTP/2 stream that the end of its connection cut.
    ///
    /// Before 8.0, libcurl takes a stream without a length for complete if GOAWAY excludes it and
    /// other streams share the connection. All versions take a stream that the server reset with
    /// NO_ERROR for complete.
    package var isHTTP2Safe: Bool { versionNumber >= 0x08_00_00 }

    /// Whether one call may fill the buffers of all streams of an HTTP/2 connection, 10 MiB each,
    /// before libcurl calls back.
    package var readsAllStreams: Bool { (0x08_00_00..<0x08_0C_00).contains(versionNumber) }

    /// Why no libcurl is available.
    package struct LoadFailure: Error, Sendable, Hashable {
        /// A sentence without its full stop.
        package let message: String

        init(message: String) {
            self.message = message
        }

        /// The failure for a libcurl before 7.88, whose options and times differ; nil for later
        /// versions.
        package init?(version: String, number: Int) {
            if number >= 0x07_58_00 { return nil }
            message = "libcurl 7.88 or newer is needed, this is \(version)"
        }
    }

    /// Loads libcurl if needed; callable from any thread.
    ///
    /// - Throws: `LoadFailure` when libcurl is missing or too old.
    package static func load() throws(LoadFailure) -> CurlLibrary {
        if let message = unsafe ccurl_load() {
            throw unsafe LoadFailure(
                message: "libcurl cannot be loaded: \(String(cString: message))"
            )
        }
        guard let facts = unsafe ccurl_version_info() else {
            throw LoadFailure(message: "libcurl cannot be loaded: it does not tell its version")
        }
        let library = unsafe CurlLibrary(
            version: text(facts.pointee.version) ?? "unknown",
            tlsVersion: text(facts.pointee.ssl_version),
            versionNumber: Int(facts.pointee.version_num),
            hasHTTP2: facts.pointee.features & CURL_VERSION_HTTP2 != 0,
            hasHTTP3: facts.pointee.features & CURL_VERSION_HTTP3 != 0
        )
        if let failure = LoadFailure(version: library.version, number: library.versionNumber) {
            throw failure
        }
        return library
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        unsafe pointer.map { unsafe String(cString: $0) }
    }
}

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
