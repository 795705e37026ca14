internal import CurlKit
internal import TransferModel

/// Why the certificate of a server is refused, told from OpenSSL's verify result.
struct CertificateRefusal {
    private enum Reason {
        case expired
        case notYetValid
        case selfSigned
        /// Its chain ends at a root that is not trusted.
        case untrustedRoot
        /// Nobody that is known has issued it.
        case unknownIssuer
        case revoked
        case wrongHost
        case other
    }

    private let reason: Reason
    private let fault: CertificateFault
    private let host: String
    private let detail: String

    /// Reads what is known of the refusal.
    ///
    /// - Parameters:
    ///   - fault: What OpenSSL found; of code 0 or 1 when it found nothing, and libcurl missed the
    ///     host's name.
    ///   - host: Whom the certificate should be of.
    ///   - detail: libcurl's own words.
    init(_ fault: CertificateFault, host: String, detail: String) {
        self.fault = fault
        self.host = host
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
            // The chain is good, or OpenSSL has said nothing of it.
            case 0...1 where detail.contains("subject name"): .wrongHost
            default: .other
            }
    }

    /// The closest of Apple's errors.
    var urlError: TransferFailure.URLErrorCode {
        switch reason {
        case .expired: .serverCertificateHasBadDate
        case .notYetValid: .serverCertificateNotYetValid
        case .selfSigned, .untrustedRoot, .unknownIssuer: .serverCertificateHasUnknownRoot
        case .revoked, .wrongHost, .other: .serverCertificateUntrusted
        }
    }

    /// The reason in a sentence that names the host.
    var sentence: String {
        switch reason {
        case .expired: "\(subject) expired\(Self.day(fault.notAfter, before: " on "))"
        case .notYetValid:
            "\(subject) is not valid yet\(Self.day(fault.notBefore, before: ", only from "))"
        case .selfSigned: "\(subject) is self-signed and not trusted here"
        case .untrustedRoot:
            "the certificate of \(host) comes from an authority that is not trusted here\(issuer)"
        case .unknownIssuer: "\(subject) is issued by somebody who is not known here\(issuer)"
        case .revoked: "\(subject) was revoked by its issuer"
        case .wrongHost: "the certificate that \(host) shows is for another host"
        case .other: "the certificate of \(host) is not accepted: \(detail)"
        }
    }

    /// What a person may do about it.
    var help: String? {
        switch reason {
        case .expired, .notYetValid: "its owner must renew it, unless this machine's clock is wrong"
        case .selfSigned, .untrustedRoot, .unknownIssuer:
            "name a file with its authority's certificate in `tls.caFile`, if you trust it"
        case .wrongHost: "ask for the host by a name that stands in its certificate"
        case .revoked, .other: nil
        }
    }

    /// Whose certificate it is: the server's, or one above it in its chain.
    private var subject: String {
        fault.depth == 0
            ? "the certificate of \(host)" : "a certificate that vouches for that of \(host)"
    }

    /// The issuer's name in brackets, made harmless; empty when there is none.
    private var issuer: String {
        let name = fault.issuer.onOneLine(limit: 64).text
        return name.isEmpty ? "" : " (\(name))"
    }

    private static func day(_ seconds: Int64?, before words: String) -> String {
        guard let seconds else { return "" }
        let days = seconds.flooredDivision(by: 86_400).quotient
        return words + CivilDate(daysSinceEpoch: days).description
    }
}
