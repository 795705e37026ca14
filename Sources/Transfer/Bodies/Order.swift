internal import CurlKit
package import SystemKit
package import TransferModel

/// The identity of an unsafe request for its idempotency key: the task's id, method, URL and body;
/// for a download also its destination.
///
/// Any change of these makes another order with another key, as
/// draft-ietf-httpapi-idempotency-key-header §2.2 requires. The same seed always gives the same
/// key.
package struct Order: Sendable {
    /// The first bytes of the digest, by which journals know the order.
    package let mark: UInt64
    /// The state of the body's files when the order was made, in order; they must be the same when
    /// it is sent.
    package let files: [InputFile.Identity]
    private let digest: [UInt8]

    /// Files up to this size count by content, larger ones by size and modification time, so that
    /// making a key does not delay the run.
    static let largestReadFile: Int64 = 16 << 20

    /// Whether libcrypto, which computes digests, is available.
    package static var canBeDigested: Bool { MessageDigest() != nil }

    /// The order of a task.
    ///
    /// - Parameters:
    ///   - spec: The task.
    ///   - isBoundToPath: Whether a download to another path, or with another signature, is another
    ///     order. If not, the path as the job file has it counts: it stays when the folder of the
    ///     job file moves.
    ///   - redact: Removes text that must not influence the identity; nil if there is none.
    /// - Throws: A failure of kind `localIO` when a file of the body cannot be read.
    package init(
        _ spec: TaskSpec,
        isBoundToPath: Bool = false,
        redact: (([UInt8]) -> [UInt8])? = nil
    ) throws(TransferFailure) {
        guard let digest = MessageDigest() else { throw Self.noDigest }
        let digestText = { (bytes: [UInt8]) in Self.add(redact?(bytes) ?? bytes, to: digest) }
        for text in [spec.id, spec.request.method, spec.request.url.text] {
            digestText(Array(text.utf8))
        }
        if spec.kind == .download, let file = spec.destination {
            digestText(Array((isBoundToPath ? file.path : file.displayPath).utf8))
            // An earlier run has not checked a signature that the job did not have then.
            if isBoundToPath, let signature = file.signature {
                let (program, key) = (signature.program.rawValue, signature.key.displayText)
                digestText(Array("\(program) \(signature.path)\n\(key)".utf8))
            }
        }
        var files: [InputFile.Identity] = []
        switch spec.body {
        case nil, .command, .pipe: break
        case .bytes(let bytes): digestText(bytes)
        case .compressed(let bytes, let count):
            let plain = try Self.plain(bytes, count: count)
            Self.add(Array("gzip".utf8), to: digest)
            digestText(plain)
        case .file(let path, _): files = [try Self.addFile(path, to: digest)]
        case .multipart(let parts):
            for part in parts {
                let texts =
                    [part.name, part.fileName ?? ""] + part.headers.flatMap { [$0.name, $0.value] }
                digestText(Array(texts.joined(separator: "\n").utf8))
                switch part.content {
                case .bytes(let bytes): digestText(bytes)
                case .file(let path, _): files.append(try Self.addFile(path, to: digest))
                }
            }
        }
        self.files = files
        self.digest = digest.finish()
        mark = self.digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The order's key.
    ///
    /// - Parameter seed: The seed of the key, 32 random bytes.
    /// - Returns: The field's value: a quoted UUID (RFC 8941 §3.3.3, RFC 9562 §5.4).
    /// - Throws: A failure of kind `engine` when libcrypto fails.
    package func key(from seed: [UInt8]) throws(TransferFailure) -> String {
        guard let code = MessageDigest.hmac(digest, key: seed) else { throw Self.noDigest }
        return "\"\(Self.uuid(code))\""
    }

    /// The first 16 bytes as a UUID of version 4, which looks random without the seed.
    private static func uuid(_ code: [UInt8]) -> String {
        var bytes = Array(code.prefix(16))
        for (index, mask, bits) in [(6, UInt8(0x0F), UInt8(0x40)), (8, 0x3F, 0x80)]
        where bytes.indices.contains(index) {
            bytes[index] = bytes[index] & mask | bits
        }
        var text = Array(MessageDigest.hexadecimal(bytes).utf8)
        for place in [20, 16, 12, 8] { text.insert(UInt8(ascii: "-"), at: place) }
        return String(decoding: text, as: UTF8.self)
    }

    // MARK: The digest

    /// Adds bytes after their count, so that different lists give different digests.
    private static func add(_ bytes: [UInt8], to digest: MessageDigest) {
        let length = InlineArray<8, UInt8> { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) }
        digest.update(length.span)
        digest.update(bytes.span)
    }

    /// The uncompressed bytes, because zlib versions compress differently.
    private static func plain(_ bytes: [UInt8], count: Int) throws(TransferFailure) -> [UInt8] {
        var plain: [UInt8] = []
        plain.reserveCapacity(count)
        let decoder = ContentDecoder(.gzip)
        let progress = decoder?.decode(bytes.span) { piece in
            plain.append(piece)
            return true
        }
        guard progress == .decoded else { throw Self.noDecoder }
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

    /// Digests were available when the run began.
    private static let noDigest = TransferFailure(
        kind: .engine,
        phase: .prepare,
        detail: "libcrypto has no SHA-256"
    )

    /// zlib was available when the body was compressed.
    private static let noDecoder = TransferFailure(
        kind: .engine,
        phase: .prepare,
        detail: "zlib cannot undo what it has compressed"
    )
}

/// The idempotency key of an order, and the order's files.
package struct OrderKey: Sendable, Hashable {
    /// The value of the field.
    package let text: String
    /// The state of the body's files when the key was made.
    package let files: [InputFile.Identity]
    /// Whether an earlier run began the order with this key.
    package let isReused: Bool

    /// Creates a key; `text` is the value of `Idempotency-Key`.
    package init(text: String, files: [InputFile.Identity] = [], isReused: Bool = false) {
        self.text = text
        self.files = files
        self.isReused = isReused
    }
}
