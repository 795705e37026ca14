/// Why a transfer did not succeed, in the terms on which a caller would act differently.
package struct TransferFailure: Error, Sendable, Hashable {
    /// The bounded set of reasons; `label` is the string for reports and metrics.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The host's name has no address.
        case resolve
        /// No connection to the host or the proxy.
        case connect
        /// The TLS handshake failed, certificates included.
        case tls
        /// No interface that the task may use leads to the peer.
        case network
        /// The session is discretionary, and the machine has no external power.
        case power
        /// Silence for longer than the idle time, or the resource time is over.
        case timeout
        /// Slower than the session's `minimumRate`.
        case stalled
        /// The connection was lost in the middle of an exchange.
        case reset
        /// The peer broke HTTP's rules.
        case protocolViolation
        /// The status is not an expected one.
        case httpStatus
        /// The MIME type is not an expected one.
        case mimeType
        /// The body is larger than `expect` allows.
        case tooLarge
        /// The body or the fields are not what `expect` asks for.
        case content
        /// Too many redirects, a loop, or a redirect that may not be followed.
        case redirectLimit
        /// The response's body ended before its announced length, or the request's was not sent as
        /// a whole.
        case truncated
        case rangeMismatch
        /// A checksum did not match.
        case integrity
        /// A file could not be read, written or published.
        case localIO
        case cache
        case cancelled
        /// A fault of the runner or of libcurl.
        case engine

        package var label: String { rawValue }

        /// Whether the machine, as it is at the moment, keeps a task from starting or going on.
        package var isDeferral: Bool { self == .network || self == .power }
    }

    /// Where in an exchange it happened.
    package enum Phase: String, Sendable, Hashable, CaseIterable {
        case prepare
        case resolve
        case connect
        case tls
        case send
        case wait
        case receive
        case finish
    }

    package var kind: Kind
    package var phase: Phase
    /// One sentence for people, without a full stop at its end.
    package var detail: String
    package var urlError: URLErrorCode?
    /// The number of a `CURLcode` when libcurl reported the failure.
    package var curlCode: Int?
    /// The `errno` behind it.
    package var osErrno: Int?
    package var httpStatus: Int?
    /// Whether the peer cannot have processed the request: no connection, or no byte of the request
    /// left.
    package var isKnownUnprocessed = false
    /// Whether an order had been answered before, by a redirect to its result: what failed, and
    /// what its status says, is about the request for that result.
    package var followsOrder = false
    /// Whether the peer may have acted on a request that must not be sent twice: a person has to
    /// look.
    package var isOutcomeUnknown = false
    /// Whether repeating could help at all; certificates and refused redirects are not like that.
    package var isPermanent = false
    /// Why the interface that leads to the peer is forbidden; nil for another failure, and when
    /// none leads there.
    package var unavailableReason: NetworkUnavailableReason?
    /// How the lack of any network showed itself where no policy watches the network; nil for
    /// another failure.
    ///
    /// The network may be back in a moment: such a failure is repeated as one of that kind.
    package var symptom: Kind?
    /// Whether nothing of the session has a way, whomever it asks.
    package var isOfWholeSession = false
    /// What the person may do about it.
    package var help: String?

    /// Whether a policy kept the task from starting or going on, and nobody has to look what it has
    /// done.
    package var isDeferral: Bool { kind.isDeferral && !isOutcomeUnknown }

    package init(kind: Kind, phase: Phase, detail: String) {
        self.kind = kind
        self.phase = phase
        self.detail = detail
    }
}
