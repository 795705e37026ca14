/// The client certificate for servers that ask for one.
package struct EasyCertificate: Sendable, Hashable {
    /// The format of the certificate's file.
    package enum Format: String, Sendable, Hashable {
        case pem = "PEM"
        /// PKCS #12, which includes the key.
        case pkcs12 = "P12"
    }

    /// Absolute paths; without a key file, the certificate's file has the key.
    package var certificateFile: String
    /// An absolute path; nil when the certificate's file has the key (`CURLOPT_SSLKEY`).
    package var keyFile: String?
    /// The format of the certificate's file (`CURLOPT_SSLCERTTYPE`).
    package var format: Format
    /// The key's password, which must never be shown.
    package var password: String?

    /// Creates a certificate from absolute paths.
    package init(certificateFile: String, keyFile: String?, format: Format, password: String?) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.format = format
        self.password = password
    }
}
