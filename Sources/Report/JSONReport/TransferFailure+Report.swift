internal import TransferModel

/// A task's failure, and whether a later run may succeed.
struct ReportedFailure {
    var failure: TransferFailure
    var isRetryable: Bool

    enum Report: ReportObject {
        typealias Subject = ReportedFailure
        static let name = "error"
        static let description = "Why the task did not succeed"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.choice("kind", "The class of the failure") { $0.failure.kind }
            members.foreignText("message", "One sentence for people") { $0.failure.detail }
            members.optionalChoice(
                "networkUnavailableReason",
                "Why the interface that leads to the server may not be used; null for another failure, and when none leads there"
            ) { $0.failure.unavailableReason }
            members.optionalObject(
                "urlError",
                "The closest code of Apple's NSURLErrorDomain",
                TransferFailure.URLErrorCode.Report.self
            ) { $0.failure.urlError }
            members.optionalInteger("curlCode", "The CURLcode when libcurl reported it") {
                $0.failure.curlCode.map(Int64.init)
            }
            members.optionalInteger("osErrno", "The errno behind it") {
                $0.failure.osErrno.map(Int64.init)
            }
            members.choice("phase", "Where in the exchange it happened") { $0.failure.phase }
            members.bool("retryable", "Whether a later run may not meet it") { $0.isRetryable }
            members.optionalForeignText("help", "What can be done about it") { $0.failure.help }
        }
    }
}

extension TransferFailure.URLErrorCode {
    enum Report: ReportObject {
        typealias Subject = TransferFailure.URLErrorCode
        static let name = "urlError"
        static let description = "A code of Apple's NSURLErrorDomain"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.integer("code", "The number", .integer(Int64.min...0)) { Int64($0.code) }
            members.string("name", "The name of URLError.Code") { $0.name }
        }
    }
}
