/// One planned transfer with every setting resolved: what is done, not how.
package struct TaskSpec: Sendable {
    /// The section that a task stands in, named as in `URLSession`.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case data
        case upload
        case download
    }

    /// What to do when a download's destination is there already.
    package enum IfExists: String, Sendable, Hashable, CaseIterable {
        case replace
        case skip
        case fail
    }

    /// A file that the response body is published to.
    package struct Destination: Sendable, Hashable {
        /// Absolute.
        package var path: String
        /// The path as the job file has it, for messages.
        package var displayPath: String
        package var ifExists: IfExists
        /// The SHA-256 that the file must have, 32 bytes.
        package var sha256: [UInt8]?

        package init(
            path: String,
            displayPath: String,
            ifExists: IfExists = .replace,
            sha256: [UInt8]? = nil
        ) {
            self.path = path
            self.displayPath = displayPath
            self.ifExists = ifExists
            self.sha256 = sha256
        }
    }

    /// The task's id in the job file, unique over all sections.
    package var id: String
    /// Position in the plan, from 0.
    package var index: Int
    package var kind: Kind
    /// Position in the plan's list of sessions.
    package var session: Int
    package var request: RequestSpec
    package var body: BodySource?
    /// Where the response body goes; nil keeps it in memory only for checks.
    package var destination: Destination?
    package var expectation = Expectation()
    package var retry = RetryPolicy()
    package var redirects = RedirectRule()
    /// The longest silence of this task; nil means unlimited.
    package var timeoutInterval: Duration?
    /// `taskDescription` in reports.
    package var description: String?
    package var source: SourceLocation

    package init(
        id: String,
        index: Int,
        kind: Kind,
        session: Int,
        request: RequestSpec,
        source: SourceLocation
    ) {
        self.id = id
        self.index = index
        self.kind = kind
        self.session = session
        self.request = request
        self.source = source
    }
}
