internal import CurlKit
internal import SystemKit
internal import TransferModel

/// Reads a body for the digests in the fields of its request, before the request is sent.
///
/// A value that shares the body and its digests: a step changes both.
struct BodyHashing {
    /// Bytes that a step reads, so that other attempts wait for some milliseconds at most.
    private static let step = 1 << 20

    private let body: SegmentedBody
    private let digests: [MessageDigest.Algorithm: MessageDigest]

    /// Begins to read a body.
    ///
    /// - Throws: A failure of kind `engine` when libcrypto's rules forbid an algorithm.
    init(of body: SegmentedBody, for forms: [BodyDigest.Form]) throws(TransferFailure) {
        var digests: [MessageDigest.Algorithm: MessageDigest] = [:]
        for form in forms {
            guard let digest = MessageDigest(form.family) else {
                throw TransferFailure(
                    kind: .engine,
                    phase: .prepare,
                    detail: "libcrypto cannot compute `\(form.rawValue)` of the body here"
                )
            }
            digests[form.family] = digest
        }
        self.body = body
        self.digests = digests
    }

    /// Reads the next piece; the texts of the digests at the end, with the body rewound, or nil.
    func readStep() throws(TransferFailure) -> [BodyDigest.Form: String]? {
        let size = min(Int64(Self.step), max(1, body.total))
        var bytes = [UInt8](repeating: 0, count: Int(size))
        let result = bytes.withRawSpan { buffer in
            Result { () throws(TransferFailure) in try body.read(into: &buffer) }
        }
        guard case .bytes(let count) = try result.get() else { return nil }
        for digest in digests.values { digest.update(bytes.span.extracting(first: count)) }
        guard count == 0 else { return nil }
        // Sending reads the same files, whose changes it notices.
        try body.verify()
        body.rewind()
        let values = digests.mapValues { $0.finish() }
        return Dictionary(
            uniqueKeysWithValues: BodyDigest.Form.allCases.compactMap { form in
                values[form.family].map { (form, form.text(of: $0)) }
            }
        )
    }
}

extension BodyDigest.Form {
    fileprivate var family: MessageDigest.Algorithm {
        switch self {
        case .md5, .md5Base64: .md5
        case .sha256, .sha256Base64: .sha256
        case .sha512, .sha512Base64: .sha512
        }
    }

    fileprivate func text(of digest: [UInt8]) -> String {
        switch self {
        case .md5, .sha256, .sha512: MessageDigest.hexadecimal(digest)
        case .md5Base64, .sha256Base64, .sha512Base64: Base64.encode(digest)
        }
    }
}
