internal import CCurl

/// OpenSSL's reason for rejecting a certificate, and the certificate's own data.
package struct CertificateFault: Sendable, Hashable {
    /// OpenSSL's verify result (`X509_V_ERR_…`).
    package var code: Int
    /// 0 is the server's certificate, 1 its issuer's, and so on.
    package var depth: Int
    /// Seconds since 1970; nil if missing.
    package var notBefore: Int64?
    /// Seconds since 1970; nil if missing.
    package var notAfter: Int64?
    /// The issuer's common name as the peer wrote it; empty if missing.
    package var issuer: String

    /// Creates a fault of the certificate at `depth`.
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
