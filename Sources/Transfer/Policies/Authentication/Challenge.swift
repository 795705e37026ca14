internal import SystemKit
internal import TransferModel

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 §11.3).
struct Challenge: Sendable, Hashable {
    /// A parameter such as `realm`, without its quotes and escapes.
    struct Parameter: Sendable, Hashable {
        /// In lower case.
        var name: String
        var value: [UInt8]
    }

    /// In lower case: `basic`, `digest`, `negotiate`.
    var scheme: String
    /// The token that NTLM and Negotiate have instead of parameters.
    var token: [UInt8]?
    var parameters: [Parameter] = []

    /// The value of the first parameter with that lower-case name.
    subscript(name: String) -> [UInt8]? {
        parameters.first { $0.name == name }?.value
    }

    /// Such a value as text in lower case.
    func text(_ name: String) -> String? {
        self[name].map { HeaderFields.text($0[...]).lowercased() }
    }

    /// All challenges of a response in their order; skips unreadable ones.
    ///
    /// - Parameters:
    ///   - fields: The response's fields.
    ///   - name: The field in lower case; it may occur several times.
    /// - Returns: One challenge for each named scheme.
    static func all(in fields: HeaderFields, named name: String) -> [Challenge] {
        fields.allValues(of: name).flatMap { value in
            var reader = ChallengeReader(value)
            return reader.challenges()
        }
    }
}

/// Reads a list of challenges (RFC 9110 §11.6.1).
///
/// A comma separates challenges as well as parameters: a token is a parameter's name exactly when
/// `=` follows it.
private struct ChallengeReader {
    private var rest: ArraySlice<UInt8>

    init(_ value: ArraySlice<UInt8>) { rest = value }

    mutating func challenges() -> [Challenge] {
        var challenges: [Challenge] = []
        while true {
            skip { Self.isBlank($0) || $0 == UInt8(ascii: ",") }
            guard !rest.isEmpty else { return challenges }
            let name = take(\.isTokenByte)
            guard !name.isEmpty else {
                skip { $0 != UInt8(ascii: ",") }
                continue
            }
            let isFollowedByBlank = rest.first.map(Self.isBlank) ?? false
            skip(Self.isBlank)
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst()
                let parameter = Challenge.Parameter(name: Self.text(name), value: value())
                if !challenges.isEmpty {
                    challenges[challenges.count - 1].parameters.append(parameter)
                }
                continue
            }
            var challenge = Challenge(scheme: Self.text(name))
            if isFollowedByBlank { challenge.token = token68() }
            challenges.append(challenge)
        }
    }

    /// Takes letters, digits and `-._~+/`, then any number of `=`, up to a comma or the end; takes
    /// nothing otherwise.
    private mutating func token68() -> [UInt8]? {
        let start = rest
        let letters = take { $0.isTokenByte || $0 == UInt8(ascii: "/") }
        let padding = take { $0 == UInt8(ascii: "=") }
        skip(Self.isBlank)
        let isEnd = rest.first.map { $0 == UInt8(ascii: ",") } ?? true
        // A scheme without parameters that is followed by another scheme has no token.
        guard isEnd, !letters.isEmpty else {
            rest = start
            return nil
        }
        return Array(letters + padding)
    }

    /// A token, or a quoted string (RFC 9110 §5.6.4).
    private mutating func value() -> [UInt8] {
        skip(Self.isBlank)
        guard rest.first == UInt8(ascii: "\"") else {
            return Array(take { $0 != UInt8(ascii: ",") && !Self.isBlank($0) })
        }
        rest = rest.dropFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                bytes.append(escaped)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) { _ = take(isSkipped) }

    private mutating func take(_ isTaken: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: isTaken)
        rest = rest.dropFirst(taken.count)
        return taken
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        HeaderFields.text(bytes).lowercased()
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }
}
