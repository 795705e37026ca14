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
            members.foreignText("message", "The failure in one sentence") { $0.failure.detail }
            members.optionalChoice(
                "networkUnavailableReason",
                "The reason why the interface that leads to the server is forbidden; null for other failures, and without such an interface"
            ) { $0.failure.unavailableReason }
            members.optionalObject(
                "urlError",
                "The closest code of Apple's NSURLErrorDomain",
                TransferFailure.URLErrorCode.Report.self
            ) { $0.failure.urlError }
            members.optionalInteger("curlCode", "The CURLcode when libcurl reported it") {
                $0.failure.curlCode.map(Int64.init)
            }
            members.optionalInteger("osErrno", "The errno of the failed system call") {
                $0.failure.osErrno.map(Int64.init)
            }
            members.choice("phase", "The phase of the exchange in which the failure happened") {
                $0.failure.phase
            }
            members.bool("retryable", "Whether a later run may succeed") { $0.isRetryable }
            members.optionalForeignText("help", "Advice for the user") { $0.failure.help }
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
