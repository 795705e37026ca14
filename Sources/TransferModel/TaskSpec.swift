/// One planned transfer with every setting resolved: what is done, not how.
///
/// A class, because it is large, handed on from step to step and never changed.
package final class TaskSpec: Sendable {
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
        /// Keep it where the origin confirms that it has no other; else replace it.
        case revalidate

        /// Whether what is there may be replaced.
        package var mayReplace: Bool { self == .replace || self == .revalidate }
    }

    /// What is kept of a download or an upload that was cut.
    package enum Resume: UInt8, Sendable, Hashable {
        case nothing
        /// For other attempts of the same run; it leaves no name behind.
        case withinRun
        /// Also for later runs: of a download beside the destination, of an upload in the state
        /// folder.
        case acrossRuns
    }

    /// Smaller bodies are sent anew when they are cut, bytes: what resuming takes would be for
    /// nothing.
    package static let leastResumableCount = 1 << 20

    /// Where a file's checksum is known from.
    package enum ExpectedChecksum: Sendable, Hashable {
        case digest(Checksum)
        indirect case listed(SumsFile)
    }

    /// A file that the response body is published to.
    ///
    /// A class, because it goes through many hands and is not changed.
    package final class Destination: Sendable, Equatable {
        /// Absolute; a slash at its end makes it a folder, in which the server names the file.
        package let path: String
        /// The path as the job file has it, for messages.
        package let displayPath: String
        package let ifExists: IfExists
        /// What the file's checksum must be.
        package let checksum: ExpectedChecksum?
        /// The file's permission bits, whatever the umask says; nil leaves them to it.
        package let mode: UInt16?
        package let resume: Resume

        package init(
            path: String,
            displayPath: String,
            ifExists: IfExists = .replace,
            checksum: ExpectedChecksum? = nil,
            mode: UInt16? = nil,
            resume: Resume = .nothing
        ) {
            self.path = path
            self.displayPath = displayPath
            self.ifExists = ifExists
            self.checksum = checksum
            self.mode = mode
            self.resume = resume
        }

        package static func == (left: Destination, right: Destination) -> Bool {
            left.path == right.path && left.displayPath == right.displayPath
                && left.ifExists == right.ifExists && left.checksum == right.checksum
                && left.mode == right.mode && left.resume == right.resume
        }

        /// Whether the server names the file.
        package var isFolder: Bool { path.utf8.last == UInt8(ascii: "/") }

        /// The file of that name in this folder.
        package func appending(_ name: String) -> Destination {
            Destination(
                path: path + name,
                displayPath: displayPath + name,
                ifExists: ifExists,
                checksum: checksum,
                mode: mode,
                resume: resume
            )
        }

        /// The same file, which takes the place of what is there.
        package var replacing: Destination {
            Destination(
                path: path,
                displayPath: displayPath,
                ifExists: .replace,
                checksum: checksum,
                mode: mode,
                resume: resume
            )
        }

        /// The same file, which must have that checksum.
        package func expecting(_ checksum: Checksum) -> Destination {
            Destination(
                path: path,
                displayPath: displayPath,
                ifExists: ifExists,
                checksum: .digest(checksum),
                mode: mode,
                resume: resume
            )
        }
    }

    /// The task's id in the job file, unique over all sections.
    package let id: String
    /// Position in the plan, from 0.
    package let index: Int
    package let kind: Kind
    /// Position in the plan's list of sessions.
    package let session: Int
    package let request: RequestSpec
    package let body: BodySource?
    /// Whether the runner makes the idempotency key of its request, which is not among the fields
    /// then.
    package let wantsKey: Bool
    /// Whether a body that was cut is gone on with; never for one that nobody can read again or in
    /// the middle.
    package let uploadResume: Resume
    /// Where the response body goes; nil keeps it in memory only for checks.
    package let destination: Destination?
    /// Other URLs of the same file, asked in order when an attempt has failed.
    package let mirrors: [HTTPURL]
    /// Whether the file is stored without the content coding that the server chose.
    package let decodesBody: Bool
    package let expectation: Expectation
    package let retry: RetryPolicy
    package let redirects: RedirectRule
    /// The longest silence of this task; nil means unlimited.
    package let timeoutInterval: Duration?
    /// When it may begin at the earliest; nil for at once.
    package let earliestBeginDate: BeginDate?
    /// Which interfaces it may use: no more than its session.
    package let access: NetworkAccess
    /// What its request makes of stored responses; nil when nobody says.
    package let cachePolicy: RequestCachePolicy?
    /// `taskDescription` in reports.
    package let description: String?
    package let source: SourceLocation

    package init(
        id: String,
        index: Int,
        kind: Kind,
        session: Int,
        request: RequestSpec,
        body: BodySource? = nil,
        wantsKey: Bool = false,
        uploadResume: Resume = .nothing,
        destination: Destination? = nil,
        mirrors: [HTTPURL] = [],
        decodesBody: Bool = false,
        expectation: Expectation = Expectation(),
        retry: RetryPolicy = RetryPolicy(),
        redirects: RedirectRule = RedirectRule(),
        timeoutInterval: Duration? = nil,
        earliestBeginDate: BeginDate? = nil,
        access: NetworkAccess = [.flags, .unclassified],
        cachePolicy: RequestCachePolicy? = nil,
        description: String? = nil,
        source: SourceLocation
    ) {
        self.id = id
        self.index = index
        self.kind = kind
        self.session = session
        self.request = request
        self.body = body
        self.wantsKey = wantsKey
        self.uploadResume = uploadResume
        self.destination = destination
        self.mirrors = mirrors
        self.decodesBody = decodesBody
        self.expectation = expectation
        self.retry = retry
        self.redirects = redirects
        self.timeoutInterval = timeoutInterval
        self.earliestBeginDate = earliestBeginDate
        self.access = access
        self.cachePolicy = cachePolicy
        self.description = description
        self.source = source
    }
}
