internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The answer to a challenge of Digest (RFC 7616 §3.4) for a request that libcurl does not send.
///
/// Its quality of protection is `auth`, or none for a server of RFC 2069.
struct DigestAnswer {
    private let user: String
    private let password: String
    private let realm: String
    private let nonce: String
    private let opaque: String?
    /// As the server spells it; nil where it names none, which is MD5.
    private let algorithm: String?
    private let hasQuality: Bool
    private let clientNonce: String

    /// Makes an answer with a client's nonce, which should be new.
    ///
    /// - Returns: Nil for a challenge without a nonce, and for texts that no field can hold.
    init?(_ challenge: Challenge, user: String, password: String, clientNonce: String) {
        func text(_ name: String) -> String? {
            challenge[name].flatMap { String(validating: $0, as: UTF8.self) }
        }
        guard let nonce = text("nonce") else { return nil }
        self.user = user
        self.password = password
        realm = text("realm") ?? ""
        self.nonce = nonce
        opaque = text("opaque")
        algorithm = text("algorithm")
        hasQuality = challenge["qop"] != nil
        self.clientNonce = clientNonce
        let texts = [user, realm, nonce, opaque ?? "", algorithm ?? ""]
        guard texts.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else {
            return nil
        }
    }

    /// A nonce of 128 random bits.
    static func newNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return MessageDigest.hexadecimal(
            (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        )
    }

    /// The value of `Authorization` for the first request with the server's nonce; nil where
    /// libcrypto lacks the algorithm.
    func fieldValue(method: String, target: String) -> String? {
        guard let response = response(method: method, target: target) else { return nil }
        var parameters = [
            "username=\(Self.quoted(user))", "realm=\(Self.quoted(realm))",
            "nonce=\(Self.quoted(nonce))", "uri=\(Self.quoted(target))",
        ]
        if hasQuality || isSession { parameters.append("cnonce=\(Self.quoted(clientNonce))") }
        if hasQuality { parameters += ["nc=\(Self.count)", "qop=auth"] }
        parameters.append("response=\"\(response)\"")
        if let algorithm { parameters.append("algorithm=\(algorithm)") }
        if let opaque { parameters.append("opaque=\(Self.quoted(opaque))") }
        return "Digest " + parameters.joined(separator: ", ")
    }

    /// How often the server's nonce is used (`nc`): each answer belongs to a connection of its own.
    private static let count = "00000001"

    private var name: String { (algorithm ?? "MD5").lowercased() }

    /// Whether the secret belongs to both nonces (`-sess`).
    private var isSession: Bool { name.hasByteSuffix("-sess") }

    private func response(method: String, target: String) -> String? {
        guard var secret = hash("\(user):\(realm):\(password)") else { return nil }
        if isSession {
            guard let own = hash("\(secret):\(nonce):\(clientNonce)") else { return nil }
            secret = own
        }
        guard let request = hash("\(method):\(target)") else { return nil }
        let middle = hasQuality ? "\(nonce):\(Self.count):\(clientNonce):auth" : nonce
        return hash("\(secret):\(middle):\(request)")
    }

    private func hash(_ text: String) -> String? {
        guard let digest = MessageDigest(name.hasBytePrefix("sha-256") ? .sha256 : .md5) else {
            return nil
        }
        digest.update(Array(text.utf8).span)
        return MessageDigest.hexadecimal(digest.finish())
    }

    /// A quoted string (RFC 9110 §5.6.4).
    private static func quoted(_ text: String) -> String {
        let escaped = text.replacingBytes("\\", with: "\\\\").replacingBytes("\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}
