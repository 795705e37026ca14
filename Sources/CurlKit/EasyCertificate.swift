/// What a client shows when a server asks for its certificate.
package struct EasyCertificate: Sendable, Hashable {
    /// How the certificate's file is written.
    package enum Format: String, Sendable, Hashable {
        case pem = "PEM"
        /// PKCS #12, which holds the key, too.
        case pkcs12 = "P12"
    }

    /// Absolute paths; without a key's file the certificate's has the key.
    package var certificateFile: String
    package var keyFile: String?
    package var format: Format
    /// What the key is encrypted with; nobody may see it.
    package var password: String?

    package init(certificateFile: String, keyFile: String?, format: Format, password: String?) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.format = format
        self.password = password
    }
}
