package import SystemKit

/// One planned transfer with every setting resolved: what to do, not how.
///
/// A class, because it is large, immutable and passed on often.
package final class TaskSpec: Sendable {
    /// The job file section of a task, named as in `URLSession`.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case data
        case upload
        case download
        case webSocket
        case stream
    }

    /// The action when a download's destination exists.
    package enum IfExists: String, Sendable, Hashable, CaseIterable {
        case replace
        case skip
        case fail
        /// Keep the file if the origin confirms it, otherwise replace it.
        case revalidate

        /// Whether an existing file may be replaced.
        package var mayReplace: Bool { self == .replace || self == .revalidate }
    }

    /// The modification date of a download's file.
    package enum ModificationDate: String, Sendable, Hashable, CaseIterable {
        /// The time at which the file was written.
        case now
        /// The `Last-Modified` of the response; without a valid one as `now`.
        case server
    }

    /// The kept state of an interrupted download or upload.
    package enum Resume: UInt8, Sendable, Hashable {
        case nothing
        /// For other attempts of this run; leaves no file behind.
        case withinRun
        /// Also for later runs: a download beside its destination, an upload in the state folder.
        case acrossRuns
    }

    /// The smallest resumable body, bytes: for smaller ones resuming costs more than sending again.
    package static let leastResumableCount = 1 << 20

    /// The source of a file's expected checksum.
    package enum ExpectedChecksum: Sendable, Hashable {
        case digest(Checksum)
        indirect case listed(SumsFile)
    }

    /// The number of connections that fetch one file at the same time.
    package enum Segments: Sendable, Hashable {
        /// At most so many, from 1.
        case count(Int)
        /// As many as make the file arrive faster.
        case automatic

        /// The largest number of a job.
        package static let most = 64

        /// The most connections at once.
        package var mostConnections: Int {
            switch self {
            case .count(let count): count
            case .automatic: Self.most
            }
        }
    }

    /// A file to which the response body is published.
    ///
    /// A class, because it is immutable and passed on often.
    package final class Destination: Sendable, Equatable {
        /// Absolute; with a final slash a folder, in which the server names the file.
        package let path: String
        /// The path as in the job file, for messages.
        package let displayPath: String
        /// The treatment of a file that already exists at `path`.
        package let ifExists: IfExists
        /// The file's expected checksum.
        package let checksum: ExpectedChecksum?
        /// The signature of the file, without which it is neither published nor kept.
        package let signature: DetachedSignature?
        /// The file's permission bits, regardless of the umask; nil lets the umask decide.
        package let mode: UInt16?
        /// The source of the file's modification date.
        package let modificationDate: ModificationDate
        /// The state that an interrupted download leaves for the next attempt or run.
        package let resume: Resume
        /// The number of connections that fetch the file at once; nil for one.
        package let segments: Segments?
        /// The size in bytes that a body must exceed to become this file; nil for every body.
        package let sizeToExceed: Int64?

        /// The folder for the content of an archive; nil when the file is not extracted.
        package let archiveFolder: ArchiveFolder?
        /// Whether a server, or a captured value, chose a part of the path.
        package let isNamedByPeer: Bool
        /// Whether it may replace a file that the job neither names nor wrote.
        package let replacesForeign: Bool
        /// Whether a captured value is a part of the URL, whose last segment is then a peer's name.
        package let isURLOfPeer: Bool
        /// How the download of the file uses a lock file.
        package let lock: LockUse
        /// Whether only the server's answer matters: the body is not read, and nothing is written.
        package let isAsked: Bool

        /// Creates a destination; both paths name the same file.
        package init(
            path: String,
            displayPath: String,
            ifExists: IfExists = .replace,
            checksum: ExpectedChecksum? = nil,
            signature: DetachedSignature? = nil,
            mode: UInt16? = nil,
            modificationDate: ModificationDate = .now,
            resume: Resume = .nothing,
            segments: Segments? = nil,
            sizeToExceed: Int64? = nil,
            archiveFolder: ArchiveFolder? = nil,
            isNamedByPeer: Bool = false,
            replacesForeign: Bool = true,
            isURLOfPeer: Bool = false,
            lock: LockUse = .none,
            isAsked: Bool = false
        ) {
            self.path = path
            self.displayPath = displayPath
            self.ifExists = ifExists
            self.checksum = checksum
            self.signature = signature
            self.mode = mode
            self.modificationDate = modificationDate
            self.resume = resume
            self.segments = segments
            self.sizeToExceed = sizeToExceed
            self.archiveFolder = archiveFolder
            self.isNamedByPeer = isNamedByPeer
            self.replacesForeign = replacesForeign
            self.isURLOfPeer = isURLOfPeer
            self.lock = lock
            self.isAsked = isAsked
        }

        /// Whether both describe the same file with the same rules.
        package static func == (left: Destination, right: Destination) -> Bool {
            left.path == right.path && left.displayPath == right.displayPath
                && left.ifExists == right.ifExists && left.checksum == right.checksum
                && left.signature == right.signature && left.mode == right.mode
                && left.modificationDate == right.modificationDate && left.resume == right.resume
                && left.segments == right.segments && left.sizeToExceed == right.sizeToExceed
                && left.archiveFolder == right.archiveFolder
                && left.isNamedByPeer == right.isNamedByPeer
                && left.replacesForeign == right.replacesForeign
                && left.isURLOfPeer == right.isURLOfPeer && left.lock == right.lock
                && left.isAsked == right.isAsked
        }

        /// Whether the server names the file.
        package var isFolder: Bool { path.utf8.last == UInt8(ascii: "/") }

        /// What vouches for an existing file that fulfils the task.
        package var presentVoucher: BodyVoucher { checksum == nil ? .signature : .checksum }

        /// Whether only a file that an earlier run of the job wrote may be replaced.
        package var replacesOnlyOwn: Bool {
            isNamedByPeer && !replacesForeign && ifExists.mayReplace
        }

        /// The destination with that file name in this folder; `isOfURL` is whether the requested
        /// URL names the file so.
        package func appending(_ name: String, isOfURL: Bool = false) -> Destination {
            copy(
                path: path + name,
                displayPath: displayPath + name,
                isNamedByPeer: true,
                replacesForeign: replacesForeign || isOfURL && !isURLOfPeer && !isNamedByPeer
            )
        }

        /// The same destination, but replacing an existing file.
        package var replacing: Destination { copy(ifExists: .replace) }

        /// The same destination with an expected checksum.
        package func expecting(_ checksum: Checksum) -> Destination {
            copy(checksum: .digest(checksum))
        }

        /// The same destination with a file that a lock file is being made of: a file that was to
        /// be kept is fetched, too.
        package var beingLocked: Destination {
            copy(ifExists: ifExists == .fail ? .fail : .replace, lock: .making)
        }

        /// The same destination with a file that is as the lock file says; `checksum` is that of
        /// the lock file.
        package func obeying(_ locked: LockedDownload, _ checksum: Checksum) -> Destination {
            // The publication compares the SHA-256 of the lock file as well.
            if case .digest? = self.checksum { return copy(lock: .obeying(locked)) }
            return copy(checksum: .digest(checksum), lock: .obeying(locked))
        }

        /// The same destination of an attempt at a mirror.
        package var atMirror: Destination {
            guard case .obeying(let locked) = lock else { return self }
            return copy(lock: .obeying(locked.atMirror))
        }

        /// The same destination of a task that only asks the server.
        package var asked: Destination { copy(isAsked: true) }

        /// The same destination except for the given properties.
        private func copy(
            path: String? = nil,
            displayPath: String? = nil,
            ifExists: IfExists? = nil,
            checksum: ExpectedChecksum? = nil,
            isNamedByPeer: Bool? = nil,
            replacesForeign: Bool? = nil,
            lock: LockUse? = nil,
            isAsked: Bool? = nil
        ) -> Destination {
            Destination(
                path: path ?? self.path,
                displayPath: displayPath ?? self.displayPath,
                ifExists: ifExists ?? self.ifExists,
                checksum: checksum ?? self.checksum,
                signature: signature,
                mode: mode,
                modificationDate: modificationDate,
                resume: resume,
                segments: segments,
                sizeToExceed: sizeToExceed,
                archiveFolder: archiveFolder,
                isNamedByPeer: isNamedByPeer ?? self.isNamedByPeer,
                replacesForeign: replacesForeign ?? self.replacesForeign,
                isURLOfPeer: isURLOfPeer,
                lock: lock ?? self.lock,
                isAsked: isAsked ?? self.isAsked
            )
        }
    }

    /// The task's id in the job file, unique across all sections.
    package let id: String
    /// Position in the plan, from 0.
    package let index: Int
    /// The section of the job file that has the task.
    package let kind: Kind
    /// Position in the plan's list of sessions.
    package let session: Int
    /// The first request, with the session's additional fields.
    package let request: RequestSpec
    /// The content of the request; nil for a request without a body.
    package let body: BodySource?
    /// Whether the runner generates an idempotency key, which is then not among the fields.
    package let wantsKey: Bool
    /// Whether to resume an interrupted body; never for one that cannot be read again or from an
    /// offset.
    package let uploadResume: Resume
    /// The destination of the response body; nil keeps the body in memory for checks only.
    package let destination: Destination?
    /// Other URLs of the same file, tried in order after a failed attempt.
    package let mirrors: [TransferURL]
    /// Whether to remove the server's content coding before storing the file.
    package let decodesBody: Bool
    /// The requirements for a successful response.
    package let expectation: Expectation
    /// The rule for a response with parts that replace each other; nil stores it as sent.
    package let mixedReplace: MixedReplaceRule?
    /// When a failed attempt is repeated.
    package let retry: RetryPolicy
    /// Which redirects are followed.
    package let redirects: RedirectRule
    /// The longest idle time of this task; nil means unlimited.
    package let timeoutInterval: TimeLimit?
    /// The earliest start; nil for at once.
    package let earliestBeginDate: BeginDate?
    /// The interfaces that it may use: at most those of its session.
    package let access: NetworkAccess
    /// How its request uses stored responses; nil for the default.
    package let cachePolicy: RequestCachePolicy?
    /// The `taskDescription` in reports.
    package let description: String?
    /// The conversation of a WebSocket task; nil for other kinds.
    package let webSocket: WebSocketSpec?
    /// The conversation of a stream task; nil for other kinds.
    package let stream: StreamSpec?
    /// Where the job file declares the task.
    package let source: SourceLocation

    /// Creates a planned transfer; the defaults are those of the job file.
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
        mirrors: [TransferURL] = [],
        decodesBody: Bool = false,
        expectation: Expectation = Expectation(),
        mixedReplace: MixedReplaceRule? = nil,
        retry: RetryPolicy = RetryPolicy(),
        redirects: RedirectRule = RedirectRule(),
        timeoutInterval: TimeLimit? = nil,
        earliestBeginDate: BeginDate? = nil,
        access: NetworkAccess = .all,
        cachePolicy: RequestCachePolicy? = nil,
        description: String? = nil,
        webSocket: WebSocketSpec? = nil,
        stream: StreamSpec? = nil,
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
        self.mixedReplace = mixedReplace
        self.retry = retry
        self.redirects = redirects
        self.timeoutInterval = timeoutInterval
        self.earliestBeginDate = earliestBeginDate
        self.access = access
        self.cachePolicy = cachePolicy
        self.description = description
        self.webSocket = webSocket
        self.stream = stream
        self.source = source
    }
}

extension TaskSpec {
    /// The same transfer to another destination.
    package func with(_ destination: Destination) -> TaskSpec {
        copy(to: destination, retry, from: earliestBeginDate)
    }

    /// The same download as a question to the server: once, and at once.
    package func asked(_ destination: Destination) -> TaskSpec {
        var once = retry
        once.attempts = 1
        once.respectRetryAfter = false
        return copy(to: destination.asked, once, from: nil)
    }

    private func copy(
        to destination: Destination,
        _ retry: RetryPolicy,
        from earliestBeginDate: BeginDate?
    ) -> TaskSpec {
        TaskSpec(
            id: id,
            index: index,
            kind: kind,
            session: session,
            request: request,
            body: body,
            wantsKey: wantsKey,
            uploadResume: uploadResume,
            destination: destination,
            mirrors: mirrors,
            decodesBody: decodesBody,
            expectation: expectation,
            mixedReplace: mixedReplace,
            retry: retry,
            redirects: redirects,
            timeoutInterval: timeoutInterval,
            earliestBeginDate: earliestBeginDate,
            access: access,
            cachePolicy: cachePolicy,
            description: description,
            webSocket: webSocket,
            stream: stream,
            source: source
        )
    }
}

/// The rule for the parts of a `multipart/x-mixed-replace` response.
package struct MixedReplaceRule: Sendable, Hashable {
    /// The parts that are the body of the task.
    package enum Kept: String, Sendable, Hashable, CaseIterable {
        /// Each part replaces the part before it.
        case last
        /// Each part is a line of JSON.
        case all
    }

    /// The parts that are the body of the task.
    package var keep = Kept.last
    /// The number of whole parts after which the task ends; nil for all parts of the server.
    package var stopAfter: Int?

    /// Creates the default: the last part of all.
    package init() {}
}

/// The folder into which a downloaded archive is extracted: `extract` of a download.
///
/// A class, because few tasks have one.
package final class ArchiveFolder: Sendable, Equatable {
    /// Which older folder is replaced.
    package enum Replacement: Sendable, Hashable {
        case none
        /// One with the content that an earlier run of the task extracted, and nothing else.
        case own
        case any
    }

    /// Absolute, without a final slash.
    package let path: String
    /// The path as in the job file, for messages.
    package let displayPath: String
    /// Which older folder is replaced.
    package let replacement: Replacement
    /// How many parts to remove from the front of each name.
    package let stripComponents: Int
    /// How much the archive may become.
    package let limits: ArchiveLimits
    /// Whether a captured value is a part of the path.
    package let isNamedByPeer: Bool

    /// Creates a folder; both paths name the same one.
    package init(
        path: String,
        displayPath: String,
        replacement: Replacement,
        stripComponents: Int,
        limits: ArchiveLimits,
        isNamedByPeer: Bool = false
    ) {
        self.path = path
        self.displayPath = displayPath
        self.replacement = replacement
        self.stripComponents = stripComponents
        self.limits = limits
        self.isNamedByPeer = isNamedByPeer
    }

    /// Whether both extract in the same way to the same folder.
    package static func == (left: ArchiveFolder, right: ArchiveFolder) -> Bool {
        left.path.hasSameBytes(as: right.path) && left.displayPath == right.displayPath
            && left.replacement == right.replacement
            && left.stripComponents == right.stripComponents
            && left.limits == right.limits && left.isNamedByPeer == right.isNamedByPeer
    }
}
