internal import TransferModel

/// A task's failure and whether a later run may not meet it.
struct ReportedFailure {
    var failure: TransferFailure
    var isRetryable: Bool

    static let report = ReportObject<ReportedFailure>(
        "error",
        "Why the task did not succeed",
        [
            .name("kind", "The class of the failure") { $0.failure.kind },
            .foreignText("message", "One sentence for people") { $0.failure.detail },
            .optionalObject(
                "urlError",
                "The closest code of Apple's NSURLErrorDomain",
                TransferFailure.URLErrorCode.report
            ) { $0.failure.urlError },
            .optionalInteger("curlCode", "The CURLcode when libcurl reported it") {
                $0.failure.curlCode.map(Int64.init)
            },
            .optionalInteger("osErrno", "The errno behind it") {
                $0.failure.osErrno.map(Int64.init)
            },
            .name("phase", "Where in the exchange it happened") { $0.failure.phase },
            .bool("retryable", "Whether a later run may not meet it") { $0.isRetryable },
            .optionalForeignText("help", "What can be done about it") { $0.failure.help },
        ]
    )
}

extension TransferFailure.URLErrorCode {
    static let report = ReportObject<Self>(
        "urlError",
        "A code of Apple's NSURLErrorDomain",
        [
            .integer("code", "The number", .integer(Int64.min...0)) { Int64($0.code) },
            .string("name", "The name of URLError.Code") { $0.name },
        ]
    )
}
