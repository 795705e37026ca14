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
    /// Before 8.0 a stream without a length that GOAWAY leaves out counts as complete if several
    /// share the connection. No version tells a stream that the server reset with NO_ERROR from a
    /// complete one.
    package var isHTTP2Safe: Bool { versionNumber >= 0x08_00_00 }

    /// Whether one call may fill the buffers of all streams of an HTTP/2 connection, 10 MiB each,
    /// without a call back.
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
