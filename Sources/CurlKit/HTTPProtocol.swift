/// The newest HTTP version that an exchange offers; the server chooses.
package enum HTTPProtocol: Sendable, Hashable {
    case http1
    /// Over TLS; HTTP/1.1 without it (`CURL_HTTP_VERSION_2TLS`).
    case http2
    case http3
}
