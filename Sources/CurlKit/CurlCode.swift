internal import CCurl

/// libcurl's result for a transfer or an option: a `CURLcode`.
package struct CurlCode: Error, Sendable, Hashable {
    /// The `CURLcode`, as in `<curl/curl.h>`.
    package let rawValue: Int

    /// Creates a result from libcurl's number.
    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// A callback wants no more of the body (`CURLE_WRITE_ERROR`).
    package static let writeError = CurlCode(CURLE_WRITE_ERROR)

    init(_ code: CURLcode) {
        rawValue = Int(code.rawValue)
    }

    /// Whether libcurl reports success (`CURLE_OK`).
    package var isOK: Bool { rawValue == 0 }

    /// libcurl's message for the code.
    package var message: String {
        guard let text = unsafe ccurl_easy_strerror(CURLcode(UInt32(clamping: rawValue))) else {
            return "error \(rawValue)"
        }
        return unsafe String(cString: text)
    }

    /// Throws when `code` is not `CURLE_OK`.
    static func check(_ code: CURLcode) throws(CurlCode) {
        if code != CURLE_OK { throw CurlCode(code) }
    }
}
