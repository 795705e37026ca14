internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The identity of an upload, as two digests with the same salt.
struct UploadDigests {
    /// The parts of a request that its digests cover.
    struct Source {
        /// The task's own request.
        let request: RequestSpec
        let credentials: [Credential]
        let body: BodySource?
        /// The body's files; nil for a body in memory.
        let files: SegmentedBody?

        /// The digests of request and body; nil when the body cannot be read.
        func digests(_ salt: String) -> UploadDigests? {
            let traits = RequestTraits(request.headers, credentials)
            let order = [salt, request.method, request.url.text]
            let whole = order + [request.headers.idempotencyKey ?? "", traits.digest(salt) ?? ""]
            guard let whole = digest(of: whole, withTimes: true),
                let part = digest(of: order, withTimes: false)
            else { return nil }
            return UploadDigests(request: whole, order: part)
        }

        private func digest(of texts: [String], withTimes: Bool) -> String? {
            guard let digest = MessageDigest() else { return nil }
            for text in texts { digest.update(Array("\(text)\n".utf8).span) }
            switch body {
            case .bytes(let bytes), .compressed(let bytes, _): digest.update(bytes.span)
            case .file, .multipart:
                guard let files, (try? files.identify(to: digest, withTimes: withTimes)) != nil
                else { return nil }
            case .command, .pipe, nil: return nil
            }
            return MessageDigest.hexadecimal(digest.finish())
        }
    }

    /// The digest of the request with its fields and credentials, and of the body with the times of
    /// its files.
    var request: String
    /// The digest of method, URL and body, as far as they identify an order: the size and beginning
    /// of a file, not its times.
    var order: String

    /// The digests that a record shares with this upload.
    func match(_ partial: PartialUpload) -> UploadMachine.Match {
        if request == partial.digest { return .upload }
        return order == partial.order ? .order : .nothing
    }
}
