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
