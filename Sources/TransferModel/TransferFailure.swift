/// Why a transfer failed, classified by the different reactions of a caller.
package struct TransferFailure: Error, Sendable, Hashable {
    /// The reasons; `label` is the string for reports and metrics.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The host's name has no address.
        case resolve
        /// No connection to the host or the proxy.
        case connect
        /// The TLS handshake failed, including certificate checks.
        case tls
        /// No interface that the task may use leads to the peer.
        case network
        /// The session is discretionary, and the machine has no external power.
        case power
        /// A user has suspended the background session.
        case suspended
        /// No byte for longer than the idle time, or the resource time expired.
        case timeout
        /// Slower than the session's `minimumRate`.
        case stalled
        /// The connection was lost during an exchange.
        case reset
        /// The peer violated HTTP.
        case protocolViolation
        /// The status is not expected.
        case httpStatus
        /// The MIME type is not expected.
        case mimeType
        /// The body is larger than `expect` allows.
        case tooLarge
        /// The body or the fields do not meet `expect`.
        case content
        /// Too many redirects, a loop, or a redirect that may not be followed.
        case redirectLimit
        /// The response body ended before its announced length, or the request body was not sent
        /// completely.
        case truncated
        case rangeMismatch
        /// A checksum did not match.
        case integrity
        /// The program did not accept the signature of the file.
        case signature
        /// A file could not be read, written or published.
        case localIO
        case cache
        case cancelled
        /// The `when` of the task, or of a task that it needs, does not hold.
        case condition
        /// A defect of the runner or of libcurl.
        case engine

        /// Whether the bytes are not the wanted ones, though the body is whole.
        package var isOfWrongBytes: Bool { self == .integrity || self == .signature }

        /// The name of the kind, one of a fixed set, for reports and metrics.
        package var label: String { rawValue }

        /// Whether the machine's current state, or a user, prevents a task from starting or
        /// continuing for now.
        package var isDeferral: Bool {
            self == .network || self == .power || self == .suspended
        }
    }

    /// The phase of an exchange in which the failure happened.
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

    /// The class of the failure.
    package var kind: Kind
    /// The step of the exchange that failed.
    package var phase: Phase
    /// One sentence for the user, without a final full stop.
    package var detail: String
    /// The closest code of Apple's `NSURLErrorDomain`; nil without one.
    package var urlError: URLErrorCode?
    /// The `CURLcode` of a failure that libcurl reported.
    package var curlCode: Int?
    /// The cause's `errno`.
    package var osErrno: Int?
    /// The status of the response that caused the failure; nil without one.
    package var httpStatus: Int?
    /// Whether the peer cannot have processed the request: no connection, or no byte was sent.
    package var isKnownUnprocessed = false
    /// Whether a redirect had answered the unsafe request before: the failure and its status
    /// concern the request for the redirect's target.
    package var followsOrder = false
    /// Whether the task had sent messages over its connection, which a repeated attempt would send
    /// again.
    package var followsMessages = false
    /// Whether the peer may have processed a request that must not be repeated: a person must
    /// check.
    package var isOutcomeUnknown = false
    /// Whether a retry cannot help, as for certificates and refused redirects.
    package var isPermanent = false
    /// Why the interface to the peer is forbidden; nil for other failures, and when no interface
    /// leads there.
    package var unavailableReason: NetworkUnavailableReason?
    /// The kind of failure caused by a missing network where no policy watches it; otherwise nil.
    ///
    /// The network may return in a moment, so the failure is retried as that kind.
    package var symptom: Kind?
    /// Whether no request of the session has a path, whatever the server.
    package var isOfWholeSession = false
    /// Advice for the user.
    package var help: String?
    /// The path of the key of the job file that decides about the failure, unless the kind of the
    /// failure implies it; otherwise empty.
    package var decidingKey: [String] = []

    /// Whether a policy prevented the task from starting or continuing, and no effect is in doubt.
    package var isDeferral: Bool { kind.isDeferral && !isOutcomeUnknown }

    /// Creates a failure; the other properties are nil or false.
    package init(
        kind: Kind,
        phase: Phase,
        detail: String,
        urlError: URLErrorCode? = nil,
        isPermanent: Bool = false,
        help: String? = nil
    ) {
        self.kind = kind
        self.phase = phase
        self.detail = detail
        self.urlError = urlError
        self.isPermanent = isPermanent
        self.help = help
    }
}

extension TransferFailure {
    /// The closest code of Apple's `NSURLErrorDomain`; the raw value is the name of the case in
    /// `URLError.Code`.
    ///
    /// See <https://developer.apple.com/documentation/foundation/urlerror/code>.
    package enum URLErrorCode: String, Sendable, Hashable, CaseIterable {
        case unknown
        case backgroundSessionWasDisconnected
        case cancelled
        case badURL
        case timedOut
        case unsupportedURL
        case cannotFindHost
        case cannotConnectToHost
        case networkConnectionLost
        case httpTooManyRedirects
        case resourceUnavailable
        case notConnectedToInternet
        case badServerResponse
        case userAuthenticationRequired
        case zeroByteResource
        case cannotDecodeRawData
        case cannotDecodeContentData
        case cannotParseResponse
        case dataNotAllowed
        case requestBodyStreamExhausted
        case fileDoesNotExist
        case dataLengthExceedsMaximum
        case secureConnectionFailed
        case serverCertificateHasBadDate
        case serverCertificateUntrusted
        case serverCertificateHasUnknownRoot
        case serverCertificateNotYetValid
        case clientCertificateRejected
        case clientCertificateRequired
        case cannotCreateFile
        case cannotWriteToFile

        /// The code with a number; `unknown` for a number that the runner does not use.
        package init(code: Int) {
            self = Self.allCases.first { $0.code == code } ?? .unknown
        }

        /// The negative number.
        package var code: Int {
            switch self {
            case .unknown: -1
            case .backgroundSessionWasDisconnected: -997
            case .cancelled: -999
            case .badURL: -1000
            case .timedOut: -1001
            case .unsupportedURL: -1002
            case .cannotFindHost: -1003
            case .cannotConnectToHost: -1004
            case .networkConnectionLost: -1005
            case .httpTooManyRedirects: -1007
            case .resourceUnavailable: -1008
            case .notConnectedToInternet: -1009
            case .badServerResponse: -1011
            case .userAuthenticationRequired: -1013
            case .zeroByteResource: -1014
            case .cannotDecodeRawData: -1015
            case .cannotDecodeContentData: -1016
            case .cannotParseResponse: -1017
            case .dataNotAllowed: -1020
            case .requestBodyStreamExhausted: -1021
            case .fileDoesNotExist: -1100
            case .dataLengthExceedsMaximum: -1103
            case .secureConnectionFailed: -1200
            case .serverCertificateHasBadDate: -1201
            case .serverCertificateUntrusted: -1202
            case .serverCertificateHasUnknownRoot: -1203
            case .serverCertificateNotYetValid: -1204
            case .clientCertificateRejected: -1205
            case .clientCertificateRequired: -1206
            case .cannotCreateFile: -3000
            case .cannotWriteToFile: -3003
            }
        }

        /// The name of the case in `URLError.Code`.
        package var name: String { rawValue }
    }
}
