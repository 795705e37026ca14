internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The client certificates of a session, each for its own servers.
struct ClientCertificates {
    private var entries: [(space: ProtectionSpace, certificate: EasyCertificate)] = []

    /// Takes the certificates among a session's credentials.
    init(_ credentials: [Credential]) {
        for credential in credentials {
            guard case .clientCertificate(let certificate) = credential.proof else { continue }
            entries.append((credential.space, EasyCertificate(certificate)))
        }
    }

    /// The certificate for an origin that asks for one; nil for none.
    func certificate(for origin: Origin) -> EasyCertificate? {
        guard !entries.isEmpty, origin.scheme == .https else { return nil }
        return entries.first { $0.space.contains(origin) }?.certificate
    }
}

extension EasyCertificate {
    fileprivate init(_ certificate: ClientCertificate) {
        let isPEM = certificate.key != nil || !Self.isPKCS12(certificate.certificate)
        self.init(
            certificateFile: certificate.certificate,
            keyFile: certificate.key,
            format: isPEM ? .pem : .pkcs12,
            password: certificate.password?.withText { $0 }
        )
    }

    /// Whether a file begins like PKCS #12, with a sequence in DER; PEM begins with text.
    private static func isPKCS12(_ path: String) -> Bool {
        (try? InputFile(path: path).read(at: 0, count: 1)) == [0x30]
    }
}
