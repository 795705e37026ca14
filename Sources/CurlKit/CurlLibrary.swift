internal import CCurl

/// libcurl as this process has loaded it.
package struct CurlLibrary: Sendable, Hashable {
    /// Such as `7.88.1`.
    package let version: String
    /// Such as `OpenSSL/3.0.19`; nil without TLS.
    package let tlsVersion: String?
    /// `0xXXYYZZ`: 0x075801 is 7.88.1.
    package let versionNumber: Int
    package let hasHTTP2: Bool
    package let hasHTTP3: Bool

    /// Why libcurl could not be loaded.
    package struct LoadFailure: Error, Sendable, Hashable {
        package var message: String
    }

    /// Loads libcurl when it is not loaded yet; from any thread.
    package static func load() throws(LoadFailure) -> CurlLibrary {
        if let message = unsafe ccurl_load() {
            throw unsafe LoadFailure(message: String(cString: message))
        }
        guard let facts = unsafe ccurl_version_info() else {
            throw LoadFailure(message: "curl_version_info returned nothing")
        }
        return unsafe CurlLibrary(
            version: text(facts.pointee.version) ?? "unknown",
            tlsVersion: text(facts.pointee.ssl_version),
            versionNumber: Int(facts.pointee.version_num),
            hasHTTP2: facts.pointee.features & CURL_VERSION_HTTP2 != 0,
            hasHTTP3: facts.pointee.features & CURL_VERSION_HTTP3 != 0
        )
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        unsafe pointer.map { unsafe String(cString: $0) }
    }
}
