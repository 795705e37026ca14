/// Keys and signatures that the programs themselves make.
package struct Signer {
    /// Has the keys and what is signed.
    private let folder: TemporaryFolder
    private let isMinisign: Bool
    /// Whether the key has expired, and signs as if it had not.
    private var isPast = false

    /// Makes a key of minisign, without a password.
    package static func minisign() throws -> Signer {
        let signer = Signer(folder: try TemporaryFolder(), isMinisign: true)
        try signer.call("minisign", ["-G", "-W", "-p", "key", "-s", "secret"])
        return signer
    }

    /// Makes a key of OpenPGP, without a password.
    ///
    /// - Parameter days: After so many days in 2020 the key expired; nil makes it last.
    /// - Returns: The key.
    /// - Throws: `MissingTool` when gpg fails.
    package static func gpg(expiredAfter days: Int? = nil) throws -> Signer {
        let signer = Signer(
            folder: try TemporaryFolder(),
            isMinisign: false,
            isPast: days != nil
        )
        try signer.folder.makeFolder("home", mode: 0o700)
        let expiry = days.map { ["\($0)d"] } ?? ["never"]
        try signer.gpg(
            ["--passphrase", "", "--quick-gen-key", "test@example.test", "ed25519", "sign"]
                + expiry
        )
        try signer.gpg(["--output", "key", "--export"])
        return signer
    }

    /// The public key: a `.pub` file or a keyring.
    package var key: [UInt8] { get throws { try folder.read("key") } }

    /// The public key of minisign itself, in Base64.
    package var keyLine: String {
        get throws {
            String(String(decoding: try key, as: UTF8.self).split(separator: "\n").last ?? "")
        }
    }

    /// The detached signature of bytes; `isOfText` makes one of OpenPGP that leaves line ends open.
    package func signature(of bytes: [UInt8], isOfText: Bool = false) throws -> [UInt8] {
        try folder.write(bytes, to: "file")
        if isMinisign {
            try call("minisign", ["-S", "-s", "secret", "-m", "file", "-x", "signature"])
        } else {
            let mode = isOfText ? ["--textmode"] : []
            try gpg(["--yes", "--output", "signature"] + mode + ["--detach-sign", "file"])
        }
        return try folder.read("signature")
    }

    /// The bytes with a signature in one message of OpenPGP, which is no detached signature.
    package func message(of bytes: [UInt8]) throws -> [UInt8] {
        try folder.write(bytes, to: "file")
        try gpg(["--yes", "--output", "message", "--sign", "file"])
        return try folder.read("message")
    }

    private func gpg(_ arguments: [String]) throws {
        // The time stands still: otherwise a slow start would make the key younger than its use.
        let time = isPast ? ["--faked-system-time", "20200101T000000!"] : []
        let home = ["--homedir", folder.path("home")]
        defer { _ = try? call("gpgconf", home + ["--kill", "all"]) }
        try call("gpg", home + ["--batch", "--quiet"] + time + arguments)
    }

    private func call(_ program: String, _ arguments: [String]) throws {
        let outcome = try Command(program, arguments, workingFolder: folder.path).run()
        guard outcome.status == .exit(0) else {
            throw MissingTool(program, outcome.standardError)
        }
    }
}
