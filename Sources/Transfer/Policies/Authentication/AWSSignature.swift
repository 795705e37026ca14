internal import CurlKit
internal import SystemKit
internal import TransferModel

/// Signs a request by version 4 of AWS's algorithm
/// (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
///
/// The runner signs itself, because libcurl before 8.13 does not sort the query, and 7.88 omits a
/// field that S3 requires.
struct AWSSignature {
    /// The statement about the body.
    enum Payload {
        case bytes([UInt8])
        /// Not available yet; S3 accepts it unsigned.
        case unsigned
    }

    private static let algorithm = "AWS4-HMAC-SHA256"

    let credential: AWSCredential

    /// The fields that sign a request, sent besides its own; nil without libcrypto.
    ///
    /// The request's URL must be `signable`: AWS's servers sign its meaning, not its spelling.
    func fields(for request: RequestSpec, _ payload: Payload, at time: Timestamp) -> [HeaderField]?
    {
        guard let payloadHash = Self.hash(of: payload) else { return nil }
        let date = String(time.rfc3339.prefix(19).filter { $0 != "-" && $0 != ":" }) + "Z"
        var added = [HeaderField(name: "x-amz-date", value: date)]
        if isS3 {
            added.append(HeaderField(name: "x-amz-content-sha256", value: payloadHash))
        }
        credential.sessionToken?.withText {
            added.append(HeaderField(name: "x-amz-security-token", value: $0))
        }

        let signed = signedFields(of: request, added)
        let names = signed.map(\.name).joined(separator: ";")
        let canonical = [
            request.method,
            canonicalPath(request.url.path),
            Self.canonicalQuery(request.url.query),
            signed.map { "\($0.name):\($0.value)\n" }.joined(),
            names,
            payloadHash,
        ].joined(separator: "\n")

        let day = String(date.prefix(8))
        let scope = "\(day)/\(credential.region)/\(credential.service)/aws4_request"
        guard let digest = MessageDigest.sha256(of: Array(canonical.utf8)),
            let signature = signature(
                of: [Self.algorithm, date, scope, digest].joined(separator: "\n"),
                day: day
            )
        else { return nil }
        let value =
            "\(Self.algorithm) Credential=\(credential.accessKey)/\(scope), "
            + "SignedHeaders=\(names), Signature=\(signature)"
        return added + [HeaderField(name: "Authorization", value: value)]
    }

    private var isS3: Bool { credential.service == "s3" }

    private static func hash(of payload: Payload) -> String? {
        switch payload {
        case .bytes(let bytes): MessageDigest.sha256(of: bytes)
        case .unsigned: "UNSIGNED-PAYLOAD"
        }
    }

    /// The host and all of AWS's own fields, by name; each run of blanks in a value becomes one
    /// space.
    private func signedFields(
        of request: RequestSpec,
        _ added: [HeaderField]
    ) -> [(name: String, value: String)] {
        let amazon = (request.headers + added).map {
            (name: $0.name.lowercased(), value: Self.trimmed($0.value))
        }.filter { $0.name.hasBytePrefix("x-amz-") }
        return ([("host", request.host)] + amazon).sorted { $0.name < $1.name }
    }

    private static func trimmed(_ value: String) -> String {
        value.splitAtBytes(" ", "\t").joined(separator: " ")
    }

    /// The path as sent, but with each `/` as itself, for S3; for all other services without empty
    /// segments and encoded once more.
    private func canonicalPath(_ path: String) -> String {
        if isS3 { return path.replacingBytes("%2F", with: "/") }
        let segments = path.splitAtBytes("/")
        let end = path.hasByteSuffix("/") && !segments.isEmpty ? "/" : ""
        return Self.encoded("/" + segments.joined(separator: "/") + end, keeping: "/")
    }

    /// The parameters in order, each with its `=`.
    private static func canonicalQuery(_ query: String) -> String {
        query.splitAtBytes("&").map { parameter in
            let end = parameter.firstByteIndex(of: "=") ?? parameter.endIndex
            let value = parameter[end...].dropFirst()
            return (
                name: encoded(String(parameter[..<end]), keeping: "%"),
                value: encoded(String(value), keeping: "%")
            )
        }
        .sorted { ($0.name, $0.value) < ($1.name, $1.value) }
        .map { "\($0.name)=\($0.value)" }
        .joined(separator: "&")
    }

    /// All but unreserved characters and `kept` percent-encoded (RFC 3986 §2.3).
    private static func encoded(_ text: String, keeping kept: Unicode.Scalar...) -> String {
        PercentCoding.encode(text) { byte in
            byte.isUnreserved || kept.contains { UInt8(ascii: $0) == byte }
        }
    }

    private func signature(of text: String, day: String) -> String? {
        var key: [UInt8]? = credential.secretKey.withText { Array("AWS4\($0)".utf8) }
        for part in [day, credential.region, credential.service, "aws4_request", text] {
            key = key.flatMap { MessageDigest.hmac(Array(part.utf8), key: $0) }
        }
        return key.map(MessageDigest.hexadecimal)
    }
}
