package import Diagnostics
internal import TransferModel

/// A secret of a job: where its value is, and where it may go.
package struct SecretDeclaration: Sendable {
    /// Where the value is.
    package enum Source: Sendable, Hashable {
        /// A variable of the environment.
        case environment(String)
        /// A file with an absolute path, as whose `displayPath` the job file has it.
        case file(path: String, displayPath: String)
        /// The standard output of a program, within a time; the program's own name comes first.
        case command([String], timeout: Duration)
    }

    /// The name in the job file, as in `${secret.NAME}`.
    package let name: String
    /// The place that the value is read from.
    package let source: Source
    /// Where it may go; nil when any https origin and this machine may have it.
    let origins: [Origin]?
    /// Whether it may stand in the path and the query of a URL.
    let allowsURL: Bool
    /// The range of its name in the job file.
    let range: SourceRange

    /// The fault of this secret's value not being there or not being fit; `reason` continues "the
    /// secret `name` ".
    ///
    /// One of the environment: the job file may be right.
    package func missing(_ reason: String, notes: [Diagnostic.Note] = []) -> Diagnostic {
        Diagnostic(
            .error,
            .missingSecret,
            "the secret `\(name)` \(reason)",
            at: range,
            notes: notes
        )
    }

    /// Whether the secret may be sent to an origin; at a login by FTP the session says whether TLS
    /// begins before it.
    func mayGo(to origin: Origin, atLogin: Bool = false) -> Bool {
        guard origins?.contains(origin) ?? true else { return false }
        return origin.isConfidential || atLogin && origin.scheme == .ftp
    }
}
