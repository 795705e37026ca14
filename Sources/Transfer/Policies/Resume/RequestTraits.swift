internal import CurlKit
internal import TransferModel

/// The properties of a request that select a representation of a URL: fields and credentials, or
/// the checksum that the job has for the file.
///
/// A validator applies to a resource only while the same representation is requested (RFC 9110
/// §12.5.5). With a checksum nothing else counts: it shows whether a part fits, whatever its
/// source, and a mirror gets fewer fields. Fields and credentials may contain secrets, so that only
/// a salted digest of them is ever written to disk.
struct RequestTraits {
    /// Fields that change in every run and select nothing.
    private static let passing: Set<String> = [
        "date", "idempotency-key", "traceparent", "tracestate", "x-amz-date", "x-correlation-id",
        "x-request-id",
    ]

    private let text: String

    /// - Parameters:
    ///   - fields: The request's own fields.
    ///   - credentials: The credentials of its session.
    ///   - checksum: The expected checksum of the file.
    init(
        _ fields: [HeaderField],
        _ credentials: [Credential] = [],
        _ checksum: TaskSpec.ExpectedChecksum? = nil
    ) {
        switch checksum {
        case .digest(let checksum): text = MessageDigest.hexadecimal(checksum.digest)
        case .listed(let list): text = "\(list.algorithm.title) in \(list.url.text)"
        case nil: text = Self.text(of: fields, credentials)
        }
    }

    private static func text(of fields: [HeaderField], _ credentials: [Credential]) -> String {
        var lines = fields.compactMap { field -> String? in
            let name = field.name.lowercased()
            return passing.contains(name) ? nil : "\(name): \(field.value)"
        }
        lines.sort()
        lines += credentials.map { "credential \(identity(of: $0.proof))" }
        return lines.joined(separator: "\n")
    }

    /// Nil without libcrypto.
    func digest(_ salt: String) -> String? { PartialRecord.digest(of: text, salt) }

    /// The identity behind a credential, as far as it is the same in every run: keys for AWS are
    /// often short-lived.
    private static func identity(of proof: Credential.Proof) -> String {
        switch proof {
        case .basic(let login): "basic \(text(of: login))"
        case .digest(let login): "digest \(text(of: login))"
        case .ntlm(let login): "ntlm \(text(of: login))"
        case .bearer(let token): "bearer \(token.withText { $0 })"
        case .awsSigV4(let keys): "aws \(keys.region) \(keys.service)"
        case .ssh(let identity): "ssh \(identity.user)"
        case .clientCertificate(let certificate): "certificate \(certificate.certificate)"
        case .netrc(let path): "netrc \(path)"
        case .negotiate: "negotiate"
        }
    }

    private static func text(of login: Login) -> String {
        "\(login.user) \(login.password.withText { $0 })"
    }
}
