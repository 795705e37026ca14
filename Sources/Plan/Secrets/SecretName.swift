internal import Diagnostics
internal import SystemKit
internal import TransferModel

/// Knows names under which people write secrets: keys of job files, header fields, members of JSON
/// and of forms.
enum SecretName {
    /// Bytes of the longest name: a longer word is none.
    static let longest = 128

    /// Whole names, in small letters, without `-` and `_`.
    private static let names: Set<String> = [
        "authorization", "proxyauthorization", "cookie", "setcookie", "credential", "credentials",
        "pass", "pw",
        "pwd", "bearer", "auth", "kennwort", "passwort", "authentication", "authheader",
        "authorizationheader", "proxyauth", "basicauth", "bearerauth", "clientcredentials", "sig",
        "sas", "jwt", "otp", "totp", "pin", "psw", "pswd",
    ]
    /// Their ends: `dbPassword` is one, and `X-Auth-Token`.
    private static let endings = [
        "password", "passwd", "passphrase", "secret", "token", "apikey", "secretkey", "privatekey",
        "secretaccesskey", "accesskey", "authkey", "passcode", "pwd", "psk", "presharedkey",
        "subscriptionkey", "functionskey", "accountkey", "masterkey", "signingkey",
        "encryptionkey", "hmackey", "sshkey", "licensekey", "consumerkey", "signature", "bearer",
    ]
    /// Words that end in `PASS` and have nothing to do with a password.
    private static let passes = ["BYPASS", "COMPASS", "TRESPASS", "UNDERPASS", "OVERPASS"]
    /// Names that are long enough to be known with one letter wrong.
    private static let misspelled = [
        "authorization", "proxyauthorization", "password", "passphrase", "credential",
        "credentials", "secretkey", "privatekey", "accesskey", "accesstoken", "clientsecret",
    ]
    /// Shorter names, known with one letter missing, added or swapped: another letter makes another
    /// word of them (`taken`).
    private static let misplaced = ["token", "apikey", "xapikey", "cookie", "secret", "passwd"]
    /// The beginnings of names of numbers: `max_tokens` says how many.
    private static let counts = ["max", "min", "num", "count", "total"]

    /// Whether the value under a name is probably a secret.
    static func isOne(_ name: String) -> Bool {
        var bytes = name.utf8.compactMap(folded)
        // `password2` is one, too.
        while let last = bytes.last, (48...57).contains(last) { bytes.removeLast() }
        let folded = String(decoding: bytes, as: UTF8.self)
        if names.contains(folded) || endings.contains(where: { folded.hasByteSuffix($0) }) {
            return true
        }
        // `db_pass::` has a sign too many.
        let name = String(name.reversed().drop { !($0.isLetter || $0.isNumber) }.reversed())
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
        if NearestName.isSlip(folded, of: misspelled) || isMisplaced(folded) { return true }
        guard !counts.contains(where: { folded.hasBytePrefix($0) }) else { return false }
        if let word = lastWord(of: name),
            NearestName.isSlip(word, of: misspelled) || isMisplaced(word)
        {
            return true
        }
        guard folded.hasByteSuffix("s") else { return false }
        let one = folded.dropLast()
        return endings.contains { one.hasByteSuffix($0) }
    }

    /// The last word of a name of several words, in small letters: `pasword` in `dbPasword` and
    /// `tokne` in `X-Auth-Tokne`; nil for a name of one word.
    private static func lastWord(of name: String) -> String? {
        let bytes = name.utf8.span
        var start = bytes.count
        while start > 0, folded(bytes[start - 1]) != nil {
            start -= 1
            // A capital behind a small letter begins a word.
            if (65...90).contains(bytes[start]), start > 0, (97...122).contains(bytes[start - 1]) {
                break
            }
        }
        guard start > 0, start < bytes.count else { return nil }
        return name.slice(start..<bytes.count).lowercased()
    }

    /// Whether a key below the name of a secret is probably a secret itself, whose colon is one
    /// too many: names are made of letters.
    static func isNoName(_ key: String) -> Bool {
        key.utf8.contains { folded($0).map { (48...57).contains($0) } ?? !"_-. ".utf8.contains($0) }
    }

    /// Whether a key is indented by a blank that YAML takes for a letter, such as a no-break space:
    /// it belongs to another key, which may be the name of a secret.
    static func isMisplaced(key: String) -> Bool { key.first?.isWhitespace == true }

    private static func isMisplaced(_ folded: String) -> Bool {
        guard (4...8).contains(folded.utf8.count) else { return false }
        let letters = folded.utf8.sorted()
        return misplaced.contains { name in
            (name.utf8.count != folded.utf8.count || name.utf8.sorted() == letters)
                && NearestName.isSlip(folded, of: [name])
        }
    }

    /// Whether a key of several words has the name of a secret among them, as
    /// `Authorization Bearer` has.
    static func isAnyWord(of key: String) -> Bool {
        let words = key.split { !($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
        return words.count > 1 && words.contains { isOne(String($0)) }
    }

    /// Whether a key that the job file's language does not have is one under which users of other
    /// tools write a login, such as `user: "name:password"`.
    static func isLogin(_ key: String) -> Bool {
        let folded = String(decoding: key.utf8.compactMap(Self.folded), as: UTF8.self)
        return logins.contains(folded)
    }

    private static let logins = [
        "basic", "basicauth", "cookies", "credentials", "curl", "login", "proxyuser", "user",
        "username", "userpwd",
    ]

    /// Whether an argument of a command is an option behind which curl expects a login, also with
    /// a wrong sign or letter.
    static func isLoginOption(_ argument: String) -> Bool {
        isOption(argument, ["user", "proxyuser"], "u")
    }

    /// Whether an argument of a command is an option behind which curl expects cookies.
    static func isCookieOption(_ argument: String) -> Bool {
        isOption(argument, ["cookie"], "b")
    }

    /// Whether an argument begins with a sign and has one of the names, perhaps with one slip, or
    /// is the flag, alone or as the last of several: `-su`.
    private static func isOption(_ argument: String, _ names: [String], _ flag: Character) -> Bool {
        guard argument.utf8.count <= longest, let first = argument.unicodeScalars.first,
            !first.properties.isAlphabetic, first.properties.numericType == nil,
            ![".", "/", "$", "{", "@", "%"].contains(first)
        else { return false }
        let word = argument.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "-" }
        let letters = word.filter(\.isLetter)
        if names.contains(letters) { return true }
        if letters.utf8.count > 2, NearestName.isSlip(letters, of: names) { return true }
        // Signs within: a word, and no flags.
        let isFlags = word.drop { $0 == "-" }.allSatisfy(\.isLetter)
        let isOneFlag = letters == String(flag)
        return isOneFlag
            || isFlags && letters.last == flag && argument.hasBytePrefix("-")
                && !argument.hasBytePrefix("--")
    }

    /// Whether a text beside an expression is only the word for how the secret is used (RFC 9110
    /// §11.1).
    static func isScheme(_ text: String) -> Bool {
        ["bearer ", "basic ", "token ", "apikey "].contains(text.lowercased())
    }

    /// The value in a key such as `password:hunter2`, whose space is missing in a flow mapping,
    /// `password=hunter2`, or `password hunter2`; nil without one.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - always: Whether all values beside it are secrets, whatever their names.
    ///   - isAlone: Whether the key has no value of its own: then a blank can stand for the colon.
    ///   - isEntry: Whether the key is probably a name and a value.
    /// - Returns: The text behind the sign or the blank.
    static func joinedValue(
        of key: String,
        always: Bool = false,
        isAlone: Bool,
        isEntry: Bool
    ) -> String? {
        if let value = SecretScan.value(in: key, isEntry ? .entry : .value) {
            return String(key.slice(value))
        }
        let signs: [Character] = isAlone ? [":", "=", " "] : [":", "="]
        guard always, let sign = key.firstIndex(where: signs.contains) else { return nil }
        let value = key[sign...].dropFirst()
        return value.isEmpty ? nil : String(value)
    }

    /// A key with the mark in the place of such a value.
    static func withoutJoinedValue(_ key: String, isAlone: Bool) -> String {
        guard let value = joinedValue(of: key, isAlone: isAlone, isEntry: isAlone) else {
            return key
        }
        return key.dropLast(value.count) + Secret.mark
    }

    /// The byte in small letters; nil for what is neither a letter nor a digit.
    private static func folded(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57, 97...122: byte
        case 65...90: byte | 0x20
        default: nil
        }
    }
}
