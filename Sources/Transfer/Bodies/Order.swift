internal import CurlKit
package import SystemKit
package import TransferModel

/// What an order is, as far as its idempotency key is concerned: a task's id with its method, URL
/// and body; of a download also where it goes.
///
/// With any of them changed it is another order and gets another key, as
/// draft-ietf-httpapi-idempotency-key-header §2.2 asks for. From one seed it always gets the same
/// key.
package struct Order: Sendable {
    /// What it is remembered by: the first bytes of its digest.
    package let mark: UInt64
    /// What the files of its body were when it was looked at, in their order; they must be that
    /// when it is sent.
    package let files: [InputFile.Identity]
    private let digest: [UInt8]

    /// Files up to this size count with their content, larger ones with their size and the time of
    /// their last change: to make a key is not to hold up the run.
    static let largestReadFile: Int64 = 16 << 20

    /// Whether libcrypto, which makes digests, is there.
    package static var canBeDigested: Bool { MessageDigest() != nil }

    /// The order of a task.
    ///
    /// - Parameters:
    ///   - spec: The task.
    ///   - redact: Takes out of a text what does not make it another order; nil when there is
    ///     nothing like that.
    /// - Throws: A failure of kind `localIO` when a file of the body cannot be read.
    package init(
        _ spec: TaskSpec,
        redact: (([UInt8]) -> [UInt8])? = nil
    ) throws(TransferFailure) {
        guard let digest = MessageDigest() else { throw .noDigest }
        let digestText = { (bytes: [UInt8]) in Self.add(redact?(bytes) ?? bytes, to: digest) }
        for text in [spec.id, spec.request.method, spec.request.url.text] {
            digestText(Array(text.utf8))
        }
        if spec.kind == .download, let path = spec.destination?.path {
            digestText(Array(path.utf8))
        }
        var files: [InputFile.Identity] = []
        switch spec.body {
        case nil, .command, .pipe: break
        case .bytes(let bytes): digestText(bytes)
        case .compressed(let bytes, let count):
            let plain = try Self.plain(bytes, count: count)
            Self.add(Array("gzip".utf8), to: digest)
            digestText(plain)
        case .file(let path): files = [try Self.addFile(path, to: digest)]
        case .multipart(let parts):
            for part in parts {
                let texts =
                    [part.name, part.fileName ?? ""] + part.headers.flatMap { [$0.name, $0.value] }
                digestText(Array(texts.joined(separator: "\n").utf8))
                switch part.content {
                case .bytes(let bytes): digestText(bytes)
                case .file(let path): files.append(try Self.addFile(path, to: digest))
                }
            }
        }
        self.files = files
        self.digest = digest.finish()
        mark = self.digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The order's key.
    ///
    /// - Parameter seed: What it is made from, 32 random bytes.
    /// - Returns: The field's value: a quoted UUID (RFC 8941 §3.3.3, RFC 9562 §5.4).
    /// - Throws: A failure of kind `engine` when libcrypto refuses.
    package func key(from seed: [UInt8]) throws(TransferFailure) -> String {
        guard let code = MessageDigest.hmac(digest, key: seed) else { throw .noDigest }
        return "\"\(Self.uuid(code))\""
    }

    /// The first 16 bytes as a UUID of version 4: whoever cannot know the seed cannot tell it from
    /// a random one.
    private static func uuid(_ code: [UInt8]) -> String {
        var bytes = Array(code.prefix(16))
        for (index, mask, bits) in [(6, UInt8(0x0F), UInt8(0x40)), (8, 0x3F, 0x80)]
        where bytes.indices.contains(index) {
            bytes[index] = bytes[index] & mask | bits
        }
        let digits = MessageDigest.hexadecimal(bytes)
        var text = ""
        for (position, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(position) { text += "-" }
            text.append(digit)
        }
        return text
    }

    // MARK: The digest

    /// Adds bytes behind their number, so that no two lists of them are alike.
    private static func add(_ bytes: [UInt8], to digest: MessageDigest) {
        let length = (0..<8).map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) }
        digest.update(length.span)
        digest.update(bytes.span)
    }

    /// What was compressed: another zlib compresses in another way.
    private static func plain(_ bytes: [UInt8], count: Int) throws(TransferFailure) -> [UInt8] {
        var plain: [UInt8] = []
        plain.reserveCapacity(count)
        let decoder = ContentDecoder(.gzip)
        let progress = decoder?.decode(bytes.span) { piece in
            plain.append(piece)
            return true
        }
        guard progress == .decoded else { throw .noDecoder }
        return plain
    }

    private static func addFile(
        _ path: String,
        to digest: MessageDigest
    ) throws(TransferFailure) -> InputFile.Identity {
        do throws(SystemError) {
            let file = try InputFile(path: path)
            let identity = file.identity
            if identity.size <= largestReadFile {
                add(try file.readPrefix(limit: Int(largestReadFile) + 1), to: digest)
            } else {
                add(Array("\(identity.size) \(identity.modificationNanoseconds)".utf8), to: digest)
            }
            return identity
        } catch {
            throw TransferFailure(reading: error, phase: .prepare)
        }
    }
}

/// The idempotency key of an order, and what it is the key of.
package struct OrderKey: Sendable, Hashable {
    /// As it stands in the field.
    package let text: String
    /// What the files of the body were when the key was made.
    package let files: [InputFile.Identity]
    /// Whether an earlier run has begun the order under it.
    package let isReused: Bool

    package init(text: String, files: [InputFile.Identity] = [], isReused: Bool = false) {
        self.text = text
        self.files = files
        self.isReused = isReused
    }
}

extension TransferFailure {
    /// Digests were there when the run began.
    fileprivate static let noDigest = TransferFailure(
        kind: .engine,
        phase: .prepare,
        detail: "libcrypto has no SHA-256"
    )

    /// zlib was there when the body was compressed.
    fileprivate static let noDecoder = TransferFailure(
        kind: .engine,
        phase: .prepare,
        detail: "zlib cannot undo what it has compressed"
    )
}
