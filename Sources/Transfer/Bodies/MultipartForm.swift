internal import CurlKit
internal import SystemKit
internal import TransferModel

/// Assembles the parts of a `multipart/form-data` body (RFC 7578).
struct MultipartForm {
    /// At most 70 characters (RFC 2046 §5.1.1), which no content can anticipate.
    let boundary: String

    init(using generator: inout some RandomNumberGenerator) {
        let digits = (0..<2).map { _ in
            UInt64.random(in: .min ... .max, using: &generator).padded(to: 16, radix: 16)
        }
        boundary = "runner-" + digits.joined()
    }

    /// A form with the boundary of an earlier one.
    init(boundary: String) {
        self.boundary = boundary
    }

    /// The form for a request with these fields.
    init(for fields: [HeaderField]) {
        var generator = SystemRandomNumberGenerator()
        self =
            fields.idempotencyKey.flatMap { MultipartForm(key: $0) }
            ?? MultipartForm(using: &generator)
    }

    /// The form for an idempotency key, which needs the same bytes each time
    /// (draft-ietf-httpapi-idempotency-key-header §2.2); the boundary does not reveal the key.
    ///
    /// Nil without libcrypto.
    init?(key: String) {
        let code = MessageDigest.hmac(Array("multipart boundary".utf8), key: Array(key.utf8))
        guard let code else { return nil }
        boundary = "runner-" + MessageDigest.hexadecimal(Array(code.prefix(16)))
    }

    /// The request's `Content-Type`.
    var contentType: HeaderField {
        HeaderField(name: "Content-Type", value: "multipart/form-data; boundary=\(boundary)")
    }

    /// The body in as few segments as its files allow.
    func segments(of parts: [BodyPart]) -> [SegmentedBody.Segment] {
        var segments: [SegmentedBody.Segment] = []
        var bytes: [UInt8] = []
        for part in parts {
            bytes += Array(head(of: part).utf8)
            switch part.content {
            case .bytes(let content):
                bytes += content
            case .file(let path, let root):
                segments += [.bytes(bytes), .file(path: path, within: root)]
                bytes = []
            }
            bytes += [13, 10]
        }
        bytes += Array("--\(boundary)--\r\n".utf8)
        return segments + [.bytes(bytes)]
    }

    private func head(of part: BodyPart) -> String {
        var head =
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quoted(part.name))\""
        if let fileName = part.fileName { head += "; filename=\"\(Self.quoted(fileName))\"" }
        for field in part.headers { head += "\r\n\(field.name): \(field.value)" }
        return head + "\r\n\r\n"
    }

    /// A name as in browsers: UTF-8 with three escaped characters (HTML Standard,
    /// "multipart/form-data encoding algorithm").
    private static func quoted(_ name: String) -> String {
        var result = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": result += "%22"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
