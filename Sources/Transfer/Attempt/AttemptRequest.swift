package import SystemKit
package import TransferModel

/// One attempt of a task, with all its settings for the engine.
package struct AttemptRequest: Sendable {
    /// Where the response body goes when the response is accepted.
    package enum Sink: Sendable, Equatable {
        /// Counted, and kept only as far as a check needs it.
        case memory
        /// Published under its final name once it is complete and verified.
        case file(TaskSpec.Destination)
        /// Read as a list of checksums.
        case checksums
        /// The engine sends nothing: it compares the present file with its checksum.
        case examination(FileExamination)
    }

    /// The purpose of an attempt.
    package enum Purpose: Sendable, Hashable {
        /// A try of a task.
        case task
        /// The revalidation of a stale response that the cache has served (RFC 5861 §3); it reports
        /// to the cache alone.
        case refresh
        /// A request for a part of the file of another attempt.
        case segment
    }

    /// Which requests libcurl may send again over another connection, when a kept one has ended
    /// without an answer.
    package enum Resending: Sendable, Hashable {
        /// Requests that may arrive twice: with an idempotent method (RFC 9110 §9.2.2) or an
        /// idempotency key.
        case idempotent
        /// Requests that change nothing (RFC 9110 §9.2.1): the task has one attempt.
        case safe
        /// No request: the task forbids repetitions.
        case none

        /// Whether a request may leave once more.
        package func allows(_ request: RequestSpec) -> Bool {
            switch self {
            case .idempotent: request.isIdempotent || request.hasIdempotencyKey
            case .safe: request.isSafe
            case .none: false
            }
        }

        /// Whether a request needs a new connection, because a kept one may be dead, which only a
        /// repeated request would show.
        ///
        /// A request that changes nothing may fail instead: a new connection each time costs more.
        package func requiresFreshConnection(for request: RequestSpec) -> Bool {
            !allows(request) && !request.isSafe
        }
    }

    /// A request that may become a resumable upload.
    package struct Upload: Sendable {
        /// The id of its task, by which later runs find it.
        package var id: String
        /// Whether later runs may resume it.
        package var isKept: Bool
        /// Whether it may replace an earlier upload of the task, which the runner then gives up.
        ///
        /// False for an order that an earlier run may have completed with other fields or
        /// credentials.
        package var mayReplace: Bool
        /// Whether it may reach the server twice, whatever its method.
        package var mayRepeat: Bool
        /// The reason why the state of an earlier run's upload is unknown.
        package var obstacle: UploadObstacle?
        /// The upload that an earlier attempt has left.
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
    /// The identities of the body's files when its idempotency key was made; none without a key.
    package var bodyFiles: [InputFile.Identity] = []
    /// The destination of the response body.
    package var sink: Sink
    /// The task's requirements for the final response.
    package var expectation: Expectation
    /// The rule for a response with parts that replace each other; nil stores it as sent.
    package var mixedReplace: MixedReplaceRule?
    /// Which redirects to follow.
    package var redirects: RedirectRule
    /// The longest silence; nil means unlimited.
    package var timeoutInterval: TimeLimit?
    /// The time at which the attempt ends with a failure of kind `timeout`, in any phase.
    package var deadline: MonotonicTime?
    /// Whether to open a new connection instead of an idle one.
    ///
    /// An unsafe request without an idempotency key needs one: libcurl would otherwise repeat it by
    /// itself when the idle connection has died. So does every repeated attempt: the connection on
    /// which the last one failed may still be open.
    package var requiresFreshConnection = false
    /// Which requests may leave once more within the attempt.
    package var resending = Resending.idempotent
    /// Whether to resolve names again, because the last attempt reached no address.
    package var resolvesAnew = false
    /// Refreshes report to the cache, tasks to the scheduler.
    package var purpose = Purpose.task
    /// The report's reason for the first exchange.
    package var reason: TransactionMetrics.Reason
    /// Whether the request accepts content codings, and the runner decodes the body; otherwise it
    /// stores the body as sent.
    package var decodesBody = false
    /// Whether the request is for the file: a response without content is then a failure.
    package var isDownload = false
    /// The list with the checksum of the destination.
    package var checksums: ChecksumList?
    /// The part of the file that an earlier attempt has left.
    package var partial: PartialDownload?
    /// The permitted interfaces: those of its session at most.
    package var access = NetworkAccess.all
    /// nil for a body that is always sent as a whole.
    package var upload: Upload?
    /// The use of stored responses; nil for an attempt without the session's cache.
    package var cachePolicy: RequestCachePolicy?
    /// Whether to ignore stored responses, because the task refused one in an earlier attempt.
    package var ignoresStored = false
    /// Whether an earlier run may have left a part of it; the engine has not looked yet.
    package var looksForPart = true
    /// Makes the conversation once the connection is open; nil for HTTP.
    var conversationStart: ConversationStart?
    /// The mirrors of the file, in the order in which they replace this URL after any failure.
    package var nextMirrors: [TransferURL] = []
    /// Whether several connections may fetch parts of the file from those mirrors, too.
    package var mixesMirrors = true
    /// The conversation that follows the opening handshake; nil for other tasks.
    package var webSocket: WebSocketSpec?
    /// The conversation of a stream task; nil for other tasks.
    package var stream: StreamSpec?
}

extension AttemptRequest {
    /// Creates an attempt; only the first four values have no default.
    ///
    /// The properties without a parameter are set afterwards.
    package init(
        key: Int,
        session: Int,
        number: Int,
        request: consuming RequestSpec,
        body: consuming BodySource? = nil,
        sink: consuming Sink = .memory,
        expectation: consuming Expectation = Expectation(),
        redirects: RedirectRule = RedirectRule(),
        timeoutInterval: TimeLimit? = nil,
        deadline: MonotonicTime? = nil,
        reason: TransactionMetrics.Reason = .initial,
        webSocket: WebSocketSpec? = nil,
        stream: StreamSpec? = nil
    ) {
        // Only the memberwise initializer makes so large a value without a copy.
        self.init(
            key: key,
            session: session,
            number: number,
            request: request,
            body: body,
            sink: sink,
            expectation: expectation,
            redirects: redirects,
            timeoutInterval: timeoutInterval,
            deadline: deadline,
            reason: reason,
            conversationStart: Self.makeConversation(webSocket, stream),
            webSocket: webSocket,
            stream: stream
        )
    }

    /// Whether only the server's answer matters, and nothing may be written.
    var isAsked: Bool {
        if case .file(let file) = sink { file.isAsked } else { false }
    }

    /// A request, without a key yet, that revalidates a stale response which has answered a hop.
    func refresh(of hop: RequestSpec) -> AttemptRequest {
        var refresh = AttemptRequest(
            key: 0,
            session: session,
            number: number,
            request: hop,
            redirects: redirects,
            timeoutInterval: timeoutInterval,
            deadline: deadline
        )
        refresh.resending = resending
        refresh.decodesBody = decodesBody
        refresh.access = access
        // The cache stores whole responses, and adds its own conditions.
        refresh.request.headers.removeAll {
            let name = $0.name.lowercased()
            return name == "range" || name.hasBytePrefix("if-")
        }
        (refresh.redirects.follow, refresh.redirects.decisions) = (.never, [])
        refresh.cachePolicy = .reloadRevalidatingCacheData
        return refresh
    }
}

extension AttemptRequest {
    /// How the conversation of a task begins; nil for a task of HTTP.
    static func makeConversation(
        _ webSocket: WebSocketSpec?,
        _ stream: StreamSpec?
    ) -> ConversationStart? {
        if let webSocket { return { WebSocketOpening(webSocket, of: $0, at: $1) } }
        guard let stream else { return nil }
        return { begin(stream, of: $0, at: $1) }
    }

    /// Begins the steps of a stream whose connection is open.
    private static func begin(
        _ stream: StreamSpec,
        of host: any ConversationHost,
        at now: MonotonicTime
    ) -> StreamConversation {
        var conversation = StreamConversation(
            stream,
            host.setting,
            requiresCloseNotify: host.requiresCloseNotify,
            at: now
        )
        do throws(SystemError) {
            try host.openFile()
        } catch {
            conversation.end(with: TransferFailure(error, phase: .receive), at: now)
        }
        return conversation
    }
}
