package import SystemKit
package import TransferModel

/// One try of a task, as the engine is asked for it.
package struct AttemptRequest: Sendable {
    /// Where the response body goes when the response is accepted.
    package enum Sink: Sendable, Equatable {
        /// Counted, and kept only as far as a check needs it.
        case memory
        /// Published under its final name once it is complete and verified.
        case file(TaskSpec.Destination)
        /// Read as a list of checksums.
        case checksums
        /// Nothing is sent: the file that is there is held against its checksum.
        case examination(FileExamination)
    }

    /// What an attempt is made for.
    package enum Purpose: Sendable, Hashable {
        /// A try of a task.
        case task
        /// The revalidation of a stale response that the cache has served (RFC 5861 §3); it reports
        /// to the cache alone.
        case refresh
    }

    /// Which requests libcurl may send again over another connection, when a kept one has ended
    /// without an answer.
    package enum Resending: Sendable, Hashable {
        /// Those that may arrive twice: idempotent methods (RFC 9110 §9.2.2) and those with an
        /// idempotency key.
        case idempotent
        /// Those that change nothing (RFC 9110 §9.2.1): the task has one attempt.
        case safe
        /// None: the task says that nothing is repeated.
        case none

        /// Whether a request may leave once more.
        package func allows(_ request: RequestSpec) -> Bool {
            switch self {
            case .idempotent: request.isIdempotent || request.hasIdempotencyKey
            case .safe: request.isSafe
            case .none: false
            }
        }

        /// Whether a request goes over a connection of its own: one that was kept may be dead,
        /// which the request must not find out.
        ///
        /// What changes nothing is rather let fail than sent over a new connection each time.
        package func requiresFreshConnection(for request: RequestSpec) -> Bool {
            !allows(request) && !request.isSafe
        }
    }

    /// A request that may become a resumable upload.
    package struct Upload: Sendable {
        /// That of its task, which later runs know it by.
        package var id: String
        /// Whether later runs are to go on with it.
        package var isKept: Bool
        /// Whether it may be sent although another one was left in its place, which is then given
        /// up.
        ///
        /// Not an order that an earlier run may have brought to its end under other fields or
        /// credentials.
        package var mayReplace: Bool
        /// Whether it may reach the server twice, whatever its method.
        package var mayRepeat: Bool
        /// Why what an earlier run has left cannot be told.
        package var obstacle: UploadObstacle?
        /// What an earlier attempt has left.
        package var partial: PartialUpload?

        /// Creates the upload of a task.
        package init(
            id: String,
            isKept: Bool,
            mayReplace: Bool = true,
            mayRepeat: Bool = false,
            partial: PartialUpload? = nil
        ) {
            self.id = id
            self.isKept = isKept
            self.mayReplace = mayReplace
            self.mayRepeat = mayRepeat
            self.partial = partial
        }
    }

    /// Names the attempt in `cancel` and in results; unique among the running ones.
    package var key: Int
    /// Position in the list of sessions that the engine was made with.
    package var session: Int
    /// The attempt's number, from 1.
    package var number: Int
    /// The request of the first hop.
    package var request: RequestSpec
    /// nil for a request without a body.
    package var body: BodySource?
    /// What the files of the body were when its idempotency key was made; none without such a key.
    package var bodyFiles: [InputFile.Identity]
    /// The destination of the response body.
    package var sink: Sink
    /// What the task expects of the final response.
    package var expectation: Expectation
    /// Which redirects to follow.
    package var redirects: RedirectRule
    /// The longest silence; nil means unlimited.
    package var timeoutInterval: Duration?
    /// When the attempt is ended with a failure of kind `timeout`, whatever it is doing.
    package var deadline: MonotonicTime?
    /// Open a new connection instead of an idle one: for an unsafe request without an idempotency
    /// key, which libcurl would otherwise send again by itself when the idle connection has died;
    /// and for every repeated attempt, which must not meet the connection on which the one before
    /// it failed.
    package var requiresFreshConnection: Bool
    /// Which requests may leave once more within the attempt.
    package var resending: Resending
    /// Whether names are looked up again, because the attempt before this one did not get through
    /// to an address.
    package var resolvesAnew: Bool
    /// Refreshes report to the cache, tasks to the scheduler.
    package var purpose = Purpose.task
    /// What the report says of the first exchange.
    package var reason: TransactionMetrics.Reason
    /// Whether a content coding is asked for and undone; otherwise the body is stored as it is
    /// sent.
    package var decodesBody: Bool
    /// Whether the file is what the request is for: an answer without content is then a failure.
    package var isDownload: Bool
    /// What a destination's listed checksum is looked up in.
    package var checksums: ChecksumList?
    /// What an earlier attempt has left of the file.
    package var partial: PartialDownload?
    /// Which interfaces it may use: no more than its session.
    package var access: NetworkAccess
    /// nil for a body that is always sent as a whole.
    package var upload: Upload?
    /// What is made of stored responses; nil leaves the session's cache out of it.
    package var cachePolicy: RequestCachePolicy?
    /// Whether what an earlier attempt received was not what the task expects, so that it is not to
    /// be used again.
    package var ignoresStored: Bool
    /// Whether an earlier run may have left some of it: nobody has looked yet.
    package var looksForPart: Bool
    /// The other URLs of the file that are asked when this one fails, whatever made it fail.
    package var nextMirrors: [HTTPURL]

    /// Creates an attempt; only the first four values have no default.
    package init(
        key: Int,
        session: Int,
        number: Int,
        request: consuming RequestSpec,
        body: consuming BodySource? = nil,
        bodyFiles: consuming [InputFile.Identity] = [],
        sink: consuming Sink = .memory,
        expectation: consuming Expectation = Expectation(),
        redirects: RedirectRule = RedirectRule(),
        timeoutInterval: Duration? = nil,
        deadline: MonotonicTime? = nil,
        requiresFreshConnection: Bool = false,
        resending: Resending = .idempotent,
        resolvesAnew: Bool = false,
        reason: TransactionMetrics.Reason = .initial,
        decodesBody: Bool = false,
        isDownload: Bool = false,
        checksums: ChecksumList? = nil,
        partial: PartialDownload? = nil,
        access: NetworkAccess = [.flags, .unclassified],
        upload: consuming Upload? = nil,
        cachePolicy: RequestCachePolicy? = nil,
        ignoresStored: Bool = false,
        looksForPart: Bool = true,
        nextMirrors: consuming [HTTPURL] = []
    ) {
        self.key = key
        self.session = session
        self.number = number
        self.request = request
        self.body = body
        self.bodyFiles = bodyFiles
        self.sink = sink
        self.expectation = expectation
        self.redirects = redirects
        self.timeoutInterval = timeoutInterval
        self.deadline = deadline
        self.requiresFreshConnection = requiresFreshConnection
        self.resending = resending
        self.resolvesAnew = resolvesAnew
        self.reason = reason
        self.decodesBody = decodesBody
        self.isDownload = isDownload
        self.checksums = checksums
        self.partial = partial
        self.access = access
        self.upload = upload
        self.cachePolicy = cachePolicy
        self.ignoresStored = ignoresStored
        self.looksForPart = looksForPart
        self.nextMirrors = nextMirrors
    }
}

extension AttemptRequest {
    /// A request, without a key yet, that revalidates a stale response which has answered a hop.
    func refresh(of hop: RequestSpec) -> AttemptRequest {
        var refresh = AttemptRequest(
            key: 0,
            session: session,
            number: number,
            request: hop,
            redirects: redirects,
            timeoutInterval: timeoutInterval,
            deadline: deadline,
            resending: resending,
            decodesBody: decodesBody,
            access: access
        )
        // The cache stores whole responses.
        refresh.request.headers.removeAll { $0.name.lowercased() == "range" }
        refresh.redirects.follow = .never
        refresh.cachePolicy = .reloadRevalidatingCacheData
        return refresh
    }
}
