internal import CCurl

/// What OpenSSL found wrong with a certificate, and what the certificate says of itself.
package struct CertificateFault: Sendable, Hashable {
    /// OpenSSL's verify result (`X509_V_ERR_…`).
    package var code: Int
    /// 0 is the server's own certificate, 1 the one that vouches for it, and so on.
    package var depth: Int
    /// Seconds since 1970; nil when it does not say.
    package var notBefore: Int64?
    package var notAfter: Int64?
    /// The common name of whoever issued it, as the peer has written it; empty when there is none.
    package var issuer: String

    package init(
        code: Int,
        depth: Int = 0,
        notBefore: Int64? = nil,
        notAfter: Int64? = nil,
        issuer: String = ""
    ) {
        self.code = code
        self.depth = depth
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.issuer = issuer
    }

    init(_ fault: ccurl_certificate_fault) {
        let issuer = unsafe withUnsafeBytes(of: fault.issuer) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        self.init(
            code: Int(fault.error),
            depth: Int(fault.depth),
            notBefore: fault.not_before == .min ? nil : fault.not_before,
            notAfter: fault.not_after == .min ? nil : fault.not_after,
            issuer: issuer
        )
    }
}
