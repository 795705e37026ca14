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

    /// The first names in the certificate, made harmless, behind a colon; empty without names.
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
