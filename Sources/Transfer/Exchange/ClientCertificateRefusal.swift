internal import CurlKit
internal import TransferModel

/// Why a server or libcurl did not accept the session's client certificate, or missed one.
///
/// With TLS 1.3, the server's alert arrives after the client's handshake, as a receive error. If
/// the server closes the connection at once, the reset can overtake the alert.
struct ClientCertificateRefusal {
    private enum Reason {
        /// The certificate is unreadable, or its key does not fit.
        case unusable
        /// The server requires one, and the session has none.
        case required
        /// The server rejected the certificate, with the alert's name.
        case rejected(String)
        /// The server closed the connection instead of accepting the handshake.
        case shutOut(hasCertificate: Bool)
    }

    /// The alerts about a peer's certificate, in OpenSSL's words (RFC 8446 §6.2).
    private static let alerts = [
        "bad certificate", "unsupported certificate", "certificate revoked", "certificate expired",
        "certificate unknown", "unknown ca", "access denied",
    ]

    private let reason: Reason
    private let host: String
    private let detail: String

    /// Returns nil when the exchange ended for another reason.
    init?(_ end: ExchangeEnd) {
        host = end.host
        detail = end.detail ?? ""
        switch end.code.rawValue {
        case 58: reason = .unusable
        case 98: reason = .required
        case 35, 52, 55, 56, 60:
            if let reason = Self.alert(in: end, detail.lowercased()) {
                self.reason = reason
            } else if end.isShutOut, [52, 55, 56].contains(end.code.rawValue) {
                reason = .shutOut(hasCertificate: end.hasClientCertificate)
            } else {
                return nil
            }
        default: return nil
        }
    }

    private static func alert(in end: ExchangeEnd, _ detail: String) -> Reason? {
        if detail.contains("alert certificate required") { return .required }
        // Before TLS 1.3 there is no specific alert for a missing certificate (RFC 5246 §7.4.6).
        let isMissing = end.isCertificateAsked && !end.hasClientCertificate
        if let alert = alerts.first(where: { detail.contains("alert " + $0) }) {
            return isMissing ? .required : .rejected(alert)
        }
        if end.isCertificateAsked, detail.contains("alert handshake failure") {
            return isMissing ? .required : .rejected("handshake failure")
        }
        return end.isOurCertificateExpired ? .rejected("certificate expired") : nil
    }

    /// Whether the server certainly read no request.
    ///
    /// A server that sends no tickets may have accepted the handshake before it closed.
    var isCertain: Bool { if case .shutOut = reason { false } else { true } }

    /// The closest of Apple's error codes.
    var urlError: TransferFailure.URLErrorCode {
        switch reason {
        case .required, .shutOut(hasCertificate: false): .clientCertificateRequired
        case .unusable, .rejected, .shutOut: .clientCertificateRejected
        }
    }

    /// The reason as a sentence with the host.
    var sentence: String {
        switch reason {
        case .unusable: "the client certificate for \(host) cannot be used: \(detail)"
        case .required: "\(host) asks for a client certificate"
        case .rejected(let alert): "\(host) does not accept the client certificate: \(alert)"
        case .shutOut: "\(host) closed the connection right after the TLS handshake"
        }
    }

    /// Advice for the user.
    var help: String? {
        switch reason {
        case .unusable: "check that `certificate`, `key` and `password` belong together"
        case .required:
            "give the session a credential with `method: clientCertificate` for this server"
        case .shutOut(hasCertificate: false):
            "the server asked for a client certificate and may require one: give the session a "
                + "credential with `method: clientCertificate`"
        case .shutOut:
            "the server asked for a client certificate, and may not accept that of the session"
        case .rejected: nil
        }
    }
}
