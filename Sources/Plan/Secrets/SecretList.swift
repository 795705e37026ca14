internal import JobFile
internal import TransferModel

/// The secrets of a job: their names first, then what is said of each, and their values in the end.
struct SecretList: Sendable {
    /// What stands for a secret until its value is there: fit for every place where one may stand.
    static let standIn = "redacted"

    /// In the order of the file.
    private(set) var names: [String] = []
    /// Of each name; nil where it has a fault.
    private(set) var declarations: [SecretDeclaration?] = []
    /// Of each name; nil while the job is only looked at.
    private var values: [Secret?] = []
    /// Which of them some header field or URL of the job holds, so that their values must be fit for it.
    private(set) var inHeaders = SecretSet()
    private(set) var inURLs = SecretSet()

    var isEmpty: Bool { names.isEmpty }

    /// Adds a name and its value, if that is known already; false when there are too many.
    mutating func declare(_ name: String, _ value: Secret?) -> Bool {
        guard names.count < SecretSet.capacity else { return false }
        names.append(name)
        declarations.append(nil)
        values.append(value)
        return true
    }

    /// Says what a name means.
    mutating func define(_ declaration: SecretDeclaration) {
        guard let position = names.firstIndex(of: declaration.name) else { return }
        declarations[position] = declaration
    }

    /// The text of a secret, or what stands for it.
    func text(of position: Int) -> String {
        values[position]?.withText { $0 } ?? Self.standIn
    }

    /// Keeps what is asked of the values.
    mutating func note(_ use: SecretUse) {
        switch use.place {
        case .url: inURLs.formUnion(use.secrets)
        case .header: inHeaders.formUnion(use.secrets)
        case .body: break
        }
    }

    /// The names of some, in backticks.
    func words(for secrets: SecretSet) -> String {
        let quoted = secrets.positions.map { "`\(names[$0])`" }
        return "\(quoted.count == 1 ? "secret" : "secrets") \(quoted.joined(separator: ", "))"
    }
}
