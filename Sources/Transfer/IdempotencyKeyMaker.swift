internal import CurlKit
internal import SystemKit
package import TransferModel

/// Makes the idempotency keys of orders: from one seed always the same for the same order.
///
/// An order is a task's id with its method, URL and body: with any of them changed it is another one and gets another key,
/// as draft-ietf-httpapi-idempotency-key-header §2.2 asks for.
package struct IdempotencyKeyMaker: Sendable {
    private let seed: [UInt8]

    /// Files up to this size count with their content, larger ones with their size and the time of their last change: to
    /// make a key is not to hold up the run.
    static let largestReadFile: Int64 = 16 << 20

    /// Makes them from a seed, 32 random bytes; nil when libcrypto is not there.
    package init?(seed: [UInt8]) {
        guard MessageDigest() != nil else { return nil }
        self.seed = seed
    }

    /// The key of a task's order.
    ///
    /// - Parameters:
    ///   - spec: The task.
    ///   - isSpent: Whether the order needs another key than this one.
    /// - Returns: The field's value: a quoted UUID (RFC 8941 §3.3.3, RFC 9562 §5.4).
    /// - Throws: A failure of kind `localIO` when a file of the body cannot be read.
    package func key(
        of spec: TaskSpec,
        isSpent: (String) -> Bool
    ) throws(TransferFailure) -> String {
        guard let order = try Order(spec) else { throw .noDigest }
        var generation: UInt64 = 0
        while true {
            let message =
                order.digest + (0..<8).map { UInt8(truncatingIfNeeded: generation >> ($0 * 8)) }
            guard let code = MessageDigest.hmac(message, key: seed) else { throw .noDigest }
            let key = "\"\(Self.uuid(code))\""
            if !isSpent(key) { return key }
            generation += 1
        }
    }

    /// The first 16 bytes as a UUID of version 4: whoever cannot know the seed cannot tell it from a random one.
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
}

/// What makes an order what it is, as a digest.
private struct Order {
    let digest: [UInt8]

    /// nil when libcrypto is not there.
    init?(_ spec: TaskSpec) throws(TransferFailure) {
        guard let digest = MessageDigest() else { return nil }
        for text in [spec.id, spec.request.method, spec.request.url.text] {
            Self.add(Array(text.utf8), to: digest)
        }
        switch spec.body {
        case nil, .command, .pipe: break
        case .bytes(let bytes), .compressed(let bytes, _): Self.add(bytes, to: digest)
        case .file(let path): try Self.addFile(path, to: digest)
        case .multipart(let parts):
            for part in parts {
                let texts =
                    [part.name, part.fileName ?? ""] + part.headers.flatMap { [$0.name, $0.value] }
                Self.add(Array(texts.joined(separator: "\n").utf8), to: digest)
                switch part.content {
                case .bytes(let bytes): Self.add(bytes, to: digest)
                case .file(let path): try Self.addFile(path, to: digest)
                }
            }
        }
        self.digest = digest.finish()
    }

    /// Adds bytes behind their number, so that no two lists of them are alike.
    private static func add(_ bytes: [UInt8], to digest: MessageDigest) {
        let length = (0..<8).map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) }
        digest.update(length.span)
        digest.update(bytes.span)
    }

    private static func addFile(_ path: String, to digest: MessageDigest) throws(TransferFailure) {
        do throws(SystemError) {
            let file = try InputFile(path: path)
            let identity = file.identity
            if identity.size <= IdempotencyKeyMaker.largestReadFile {
                let limit = Int(IdempotencyKeyMaker.largestReadFile) + 1
                add(try file.readPrefix(limit: limit), to: digest)
            } else {
                add(Array("\(identity.size) \(identity.modificationNanoseconds)".utf8), to: digest)
            }
        } catch {
            throw TransferFailure(reading: error, phase: .prepare)
        }
    }
}

extension TransferFailure {
    /// Digests were there when the run began.
    fileprivate static let noDigest = TransferFailure(
        kind: .engine,
        phase: .prepare,
        detail: "libcrypto has no SHA-256"
    )
}
