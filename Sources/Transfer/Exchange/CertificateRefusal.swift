internal import CurlKit
internal import TransferModel

/// Why a server's certificate was rejected, by OpenSSL's verification result.
struct CertificateRefusal {
    private enum Reason {
        case expired
        case notYetValid
        case selfSigned
        /// The chain ends at an untrusted root.
        case untrustedRoot
        /// The issuer is unknown.
        case unknownIssuer
        case revoked
        case wrongHost
        case other
    }

    private let reason: Reason
    private let fault: CertificateFault
    private let host: String
    private let names: [String]
    private let detail: String

    /// The most names of a certificate in a message.
    private static let mostNames = 3

    /// Interprets a rejection.
    ///
    /// - Parameters:
    ///   - fault: OpenSSL's result; its code is 0 or 1 when OpenSSL found nothing and libcurl found
    ///     the wrong host name.
    ///   - host: The expected host of the certificate.
    ///   - names: The names in the certificate, as far as known.
    ///   - detail: libcurl's message.
    init(_ fault: CertificateFault, host: String, names: [String] = [], detail: String) {
        self.fault = fault
        self.host = host
        self.names = names
        self.detail = detail
        reason =
            switch fault.code {
            case 10: .expired
            case 9: .notYetValid
            case 18: .selfSigned
            case 19: .untrustedRoot
            case 2, 20, 21: .unknownIssuer
            case 23: .revoked
            case 62...64: .wrongHost
            // The chain is valid, or OpenSSL gave no result.
            case 0...1 where detail.contains("subject name"): .wrongHost
            default: .other
            }
    }

    /// The closest of Apple's error codes.
    var urlError: TransferFailure.URLErrorCode {
        switch reason {
        case .expired: .serverCertificateHasBadDate
        case .notYetValid: .serverCertificateNotYetValid
        case .selfSigned, .untrustedRoot, .unknownIssuer: .serverCertificateHasUnknownRoot
        case .revoked, .wrongHost, .other: .serverCertificateUntrusted
        }
    }

    /// The reason as a sentence with the host.
    var sentence: String {
        switch reason {
        case .expired: "\(subject) expired\(Self.day(fault.notAfter, before: " on "))"
        case .notYetValid:
            "\(subject) is not valid yet\(Self.day(fault.notBefore, before: ", only from "))"
        case .selfSigned: "\(subject) is self-signed and not trusted"
        case .untrustedRoot:
            "the certificate of \(host) comes from an authority that this machine "
                + "does not trust\(issuer)"
        case .unknownIssuer: "\(subject) is issued by an unknown authority\(issuer)"
        case .revoked: "\(subject) was revoked by its issuer"
        case .wrongHost: "the certificate that \(host) shows is for another host\(listed)"
        case .other: "the certificate of \(host) is not accepted: \(detail)"
        }
    }

    /// Advice for the user.
    var help: String? {
        switch reason {
        case .expired, .notYetValid:
            "check this machine's clock; if it is right, "
                + "the server's owner must renew the certificate"
        case .selfSigned, .untrustedRoot, .unknownIssuer:
            "if you trust the server, name a file with its authority's certificate in `tls.caFile` "
                + "or in the variable `SSL_CERT_FILE`"
        case .wrongHost:
            "use a host name that the certificate lists, or ask the server's owner for one that "
                + "lists \(host)"
        case .revoked, .other: nil
        }
    }

    /// The path of the key of the job that decides about trust; empty for other reasons.
    var decidingKey: [String] {
        switch reason {
        case .selfSigned, .untrustedRoot, .unknownIssuer: ["tls", "caFile"]
        case .expired, .notYetValid, .revoked, .wrongHost, .other: []
        }
    }

    /// The rejected certificate: the server's, or one above it in the chain.
    private var subject: String {
        fault.depth == 0
            ? "the certificate of \(host)" : "an issuer certificate in the chain of \(host)"
    }

    /// The issuer's name in parentheses, made harmless; empty if missing.
    private var issuer: String {
        let name = fault.issuer.onOneLine(limit: 64).text
        return name.isEmpty ? "" : " (\(name))"
    }

    /// The first names in the certificate, made harmless, after a colon; empty without names.
    private var listed: String {
        guard !names.isEmpty else { return "" }
        let shown = names.prefix(Self.mostNames).map { $0.onOneLine(limit: 64).text }
        let rest = names.count - shown.count
        return ": " + shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    private static func day(_ seconds: Int64?, before words: String) -> String {
        guard let seconds else { return "" }
        let days = seconds.flooredDivision(by: 86_400).quotient
        return words + CivilDate(daysSinceEpoch: days).description
    }
}

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
