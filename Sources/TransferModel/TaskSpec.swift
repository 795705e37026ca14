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

    /// Where a file's checksum is known from.
    package enum ExpectedChecksum: Sendable, Hashable {
        case digest(Checksum)
        indirect case listed(SumsFile)
    }

    /// A file that the response body is published to.
    package struct Destination: Sendable, Hashable {
        /// Absolute; a slash at its end makes it a folder, in which the server names the file.
        package var path: String
        /// The path as the job file has it, for messages.
        package var displayPath: String
        package var ifExists: IfExists
        /// What the file's checksum must be.
        package var checksum: ExpectedChecksum?
        /// The file's permission bits, whatever the umask says; nil leaves them to it.
        package var mode: UInt16?

        package init(
            path: String,
            displayPath: String,
            ifExists: IfExists = .replace,
            checksum: ExpectedChecksum? = nil,
            mode: UInt16? = nil
        ) {
            self.path = path
            self.displayPath = displayPath
            self.ifExists = ifExists
            self.checksum = checksum
            self.mode = mode
        }

        /// Whether the server names the file.
        package var isFolder: Bool { path.utf8.last == UInt8(ascii: "/") }

        /// The file of that name in this folder.
        package func appending(_ name: String) -> Destination {
            var file = self
            file.path += name
            file.displayPath += name
            return file
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
    /// Other URLs of the same file, asked in order when an attempt has failed.
    package var mirrors: [HTTPURL] = []
    /// Whether the file is stored without the content coding that the server chose.
    package var decodesBody = false
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
