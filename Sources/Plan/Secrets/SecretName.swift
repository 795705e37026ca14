internal import SystemKit
internal import TransferModel

/// Knows names under which people write secrets: keys of job files, header fields, members of JSON
/// and of forms.
enum SecretName {
    /// The length of the longest name in bytes; a longer word names no secret.
    static let longest = 128

    /// Whole names, in small letters, without `-` and `_`.
    private static let names: Set<String> = [
        "authorization", "proxyauthorization", "cookie", "setcookie", "credential", "credentials",
        "pass", "pw",
        "pwd", "bearer", "auth", "kennwort", "passwort", "authentication", "authheader",
        "authorizationheader", "proxyauth", "basicauth", "bearerauth", "clientcredentials", "sig",
        "sas", "jwt", "otp", "totp", "pin", "psw", "pswd",
    ]
    /// The endings of such names, as in `dbPassword` and `X-Auth-Token`.
    private static let endings = [
        "password", "passwd", "passphrase", "secret", "token", "apikey", "secretkey", "privatekey",
        "secretaccesskey", "accesskey", "authkey", "passcode", "pwd", "psk", "presharedkey",
        "subscriptionkey", "functionskey", "accountkey", "masterkey", "signingkey",
        "encryptionkey", "hmackey", "sshkey", "licensekey", "consumerkey", "signature", "bearer",
    ]
    /// Words that end in `PASS` and have nothing to do with a password.
    private static let passes = ["BYPASS", "COMPASS", "TRESPASS", "UNDERPASS", "OVERPASS"]
    /// The beginnings of names of numbers: `max_tokens` says how many.
    private static let counts = ["max", "min", "num", "count", "total"]

    /// Whether the value under a name is probably a secret.
    static func isOne(_ name: String) -> Bool {
        var bytes = name.utf8.compactMap(folded)
        // `password2` is one, too.
        while let last = bytes.last, last.isDigit { bytes.removeLast() }
        let folded = String(decoding: bytes, as: UTF8.self)
        if names.contains(folded) || endings.contains(where: { folded.hasByteSuffix($0) }) {
            return true
        }
        // A whole word only: there are bypasses and compasses.
        if ["_pass", "_PASS", "-pass", "-PASS", "Pass", "_pw", "_PW", "-pw"]
            .contains(where: { name.hasByteSuffix($0) })
        {
            return true
        }
        // Names of environment variables are written without one: `DBPASS`.
        if name.hasByteSuffix("PASS"), !passes.contains(where: { name.hasByteSuffix($0) }) {
            return true
        }
        guard folded.hasByteSuffix("s"), !counts.contains(where: { folded.hasBytePrefix($0) })
        else { return false }
        let one = folded.dropLast()
        return endings.contains { one.hasByteSuffix($0) }
    }

    /// Whether a text beside an expression is only the word for how the secret is used (RFC 9110
    /// §11.1).
    static func isScheme(_ text: String) -> Bool {
        ["bearer ", "basic ", "token ", "apikey "].contains(text.lowercased())
    }

    /// The byte in small letters; nil for any byte but a letter or a digit.
    private static func folded(_ byte: UInt8) -> UInt8? {
        byte.isAlphanumeric ? byte.asciiLowercased : nil
    }
}
