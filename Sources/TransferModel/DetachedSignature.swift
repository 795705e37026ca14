/// A detached signature by which a program vouches for the bytes of a download.
package struct DetachedSignature: Sendable, Hashable {
    /// The programs that check signatures; a raw value is the name in `PATH` and that of the Debian
    /// package.
    package enum Program: String, Sendable, Hashable, CaseIterable {
        case minisign
        case gpgv
    }

    /// The public key of the signer.
    package enum Key: Sendable, Hashable {
        /// A file: a public key of minisign, or a keyring of OpenPGP keys.
        case file(path: String, displayPath: String)
        /// The public key of minisign itself, in Base64.
        case text(String)

        /// The key as in the job file, for messages.
        package var displayText: String {
            switch self {
            case .file(_, let displayPath): displayPath
            case .text(let text): text
            }
        }
    }

    /// The program that checks the signature.
    package let program: Program
    /// The absolute path of the signature.
    package let path: String
    /// The path of the signature as in the job file, for messages.
    package let displayPath: String
    /// The key by which the program checks it.
    package let key: Key
    /// How long the program may take.
    package let timeout: Duration

    /// Creates the rule; both paths name the same file.
    package init(
        _ program: Program,
        path: String,
        displayPath: String,
        key: Key,
        timeout: Duration
    ) {
        self.program = program
        self.path = path
        self.displayPath = displayPath
        self.key = key
        self.timeout = timeout
    }
}
