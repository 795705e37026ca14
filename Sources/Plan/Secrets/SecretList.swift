package import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// A secret with its value, and its finder for the texts of peers.
struct KnownSecret: Sendable {
    let value: Secret
    let find: SecretFinder
}

/// The secrets of a job: their names first, then their declarations, and their values in the end.
struct SecretList: Sendable {
    /// The text that represents a secret until its value is known; it fits every place of a secret.
    static let standIn = "redacted"

    /// The names in the order of the file.
    private(set) var names: [String] = []
    /// The declaration of each name; nil for one with a fault.
    private(set) var declarations: [SecretDeclaration?] = []
    /// The variables that are sources of secrets, with the secrets: each expression is compared
    /// with them.
    private var environment: [(name: String, position: Int)] = []
    /// The variables of the environment that have values of secrets, also of secrets with a fault.
    var variables: Set<String> = []
    /// The value of each name; nil while the job is only checked, and for secrets that no task of a
    /// run uses.
    private var values: [KnownSecret?] = []
    /// Whether tasks are read for a run, so that stand-ins for values are not allowed.
    private let isForRun: Bool
    /// Which of them some header field or URL of the job holds, so that their values must be fit
    /// for it.
    private(set) var inHeaders = SecretSet()
    private(set) var inURLs = SecretSet()

    init(isForRun: Bool = false) { self.isForRun = isForRun }

    var isEmpty: Bool { names.isEmpty }

    /// Adds a name and its value, if that is known already; false when there are too many.
    mutating func declare(_ name: String, _ value: KnownSecret?) -> Bool {
        guard names.count < SecretSet.capacity else { return false }
        names.append(name)
        declarations.append(nil)
        values.append(value)
        return true
    }

    /// The secret whose source is the environment variable with that prefix and name.
    func first(ofEnvironment variable: String, behind prefix: String) -> SecretDeclaration? {
        let length = prefix.utf8.count + variable.utf8.count
        for (name, position) in environment
        where name.utf8.count == length && name.hasBytePrefix(prefix)
            && name.utf8.dropFirst(prefix.utf8.count).elementsEqual(variable.utf8)
        {
            return declarations[position]
        }
        return nil
    }

    /// Sets the declaration of a name.
    mutating func define(_ declaration: SecretDeclaration) {
        guard let position = names.firstIndex(of: declaration.name) else { return }
        declarations[position] = declaration
        if case .environment(let name) = declaration.source { environment.append((name, position)) }
    }

    /// The text of a secret, or the text that represents it.
    ///
    /// Variables and sessions of a run may hold that text for a secret that none of its tasks
    /// uses: a task that would send it is stopped by `missing`.
    func text(of position: Int) -> String {
        values[position]?.value.withText { $0 } ?? Self.standIn
    }

    /// Finds the secrets that a run has no values of; none while the job is only checked.
    func missing(of used: SecretSet) -> [SecretDeclaration] {
        guard isForRun, !used.isEmpty else { return [] }
        return used.positions.filter { values[$0] == nil }.compactMap { declarations[$0] }
    }

    /// Notes which secrets a value of a peer holds: a server may send back a secret that it got.
    func find(in value: inout ScalarValue) {
        for (position, known) in values.enumerated() {
            guard let start = known?.find(value.text) else { continue }
            value.firstSecret = value.secrets.isEmpty ? start : min(start, value.firstSecret)
            value.secrets.formUnion(SecretSet(position))
        }
    }

    /// Keeps the demands of a use on the values.
    mutating func note(_ use: SecretUse) {
        switch use.place {
        case .url: inURLs.formUnion(use.secrets)
        case .header, .credential: inHeaders.formUnion(use.secrets)
        case .body: break
        }
    }

    /// Finds the secrets that have `origins`.
    func bound(of used: SecretSet) -> SecretSet {
        var bound = SecretSet()
        for position in used.positions where declarations[position]?.origins != nil {
            bound.formUnion(SecretSet(position))
        }
        return bound
    }

    /// The names of some, in backticks.
    func words(for secrets: SecretSet) -> String {
        let quoted = secrets.positions.map { "`\(names[$0])`" }
        return "\(quoted.count == 1 ? "secret" : "secrets") \(quoted.joined(separator: ", "))"
    }
}

/// A value that holds secrets and is sent.
struct SecretUse: Sendable {
    /// The part of the request that it becomes.
    enum Place: Sendable, Hashable {
        case url
        /// A field of that name.
        case header(String)
        case body
        /// A credential of the session or of its proxy, which determines where it goes.
        case credential
    }

    var secrets: SecretSet
    var place: Place
    /// The value in the document.
    var node: NodeID

    /// Whether a session has the field, the credentials or a proxy of `base`, so that its value is
    /// used.
    func stands(in session: SessionConfiguration, as base: SessionConfiguration) -> Bool {
        guard case .header(let name) = place else {
            return place == .credential
                && (session.credentials == base.credentials || session.proxy.shares(base.proxy))
        }
        return base.httpAdditionalHeaders.contains {
            $0.name == name && session.httpAdditionalHeaders.contains($0)
        }
    }
}

/// A secret of a job: where its value is, and where it may go.
package struct SecretDeclaration: Sendable {
    /// Where the value is.
    package enum Source: Sendable, Hashable {
        /// A variable of the environment.
        case environment(String)
        /// A file with an absolute path; `displayPath` is the path in the job file.
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
    /// Whether the path and the query of a URL may have it.
    let allowsURL: Bool
    /// The range of its name in the job file.
    let range: SourceRange

    /// The fault of a secret whose value is missing or unfit; `reason` continues "the secret `name`
    /// ".
    ///
    /// A fault of the environment: the job file may be valid.
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
