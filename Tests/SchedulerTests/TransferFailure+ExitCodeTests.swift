import Glibc
import Testing
import TransferModel

@testable import Scheduler

@Suite struct TransferFailureExitCodeTests {
    @Test(
        arguments: [
            (.resolve, .temporary), (.connect, .temporary), (.tls, .temporary),
            (.timeout, .temporary), (.stalled, .temporary), (.reset, .temporary),
            (.truncated, .temporary), (.integrity, .integrity), (.signature, .integrity),
            (.mimeType, .taskFailed), (.redirectLimit, .taskFailed),
            (.protocolViolation, .taskFailed), (.localIO, .taskFailed), (.engine, .taskFailed),
            (.tooLarge, .taskFailed), (.content, .taskFailed),
        ] as [(TransferFailure.Kind, ExitCode)]
    )
    func `the kind decides the exit code`(kind: TransferFailure.Kind, code: ExitCode) {
        #expect(TransferFailure(kind: kind, phase: .receive, detail: "").exitCode == code)
    }

    @Test func `an unknown outcome is not retryable`() {
        var failure = TransferFailure(kind: .reset, phase: .wait, detail: "")
        failure.isOutcomeUnknown = true
        #expect(failure.exitCode == .taskFailed)
    }

    @Test(
        arguments: [
            ("POST", false, .reset, true), ("POST", true, .reset, false),
            ("PUT", false, .reset, false), ("PATCH", false, .timeout, true),
            ("POST", false, .connect, true), ("POST", false, .integrity, false),
            ("POST", true, .connect, false), ("POST", false, .redirectLimit, false),
        ] as [(String, Bool, TransferFailure.Kind, Bool)]
    )
    func `an unsafe request without a key leaves the outcome unknown`(
        method: String,
        hasKey: Bool,
        kind: TransferFailure.Kind,
        expected: Bool
    ) throws {
        let key = HeaderField(name: "Idempotency-Key", value: "\"k\"")
        let request = RequestSpec(
            method: method,
            url: try TransferURL("https://a.test/"),
            headers: hasKey ? [key] : []
        )
        var failure = TransferFailure(kind: kind, phase: .wait, detail: "")
        var policy = RetryPolicy()
        #expect(
            RetryDecision.leavesOutcomeUnknown(failure, of: request, under: policy) == expected
        )
        failure.isKnownUnprocessed = true
        #expect(!RetryDecision.leavesOutcomeUnknown(failure, of: request, under: policy))
        failure.isKnownUnprocessed = false
        policy.repeat = .always
        #expect(!RetryDecision.leavesOutcomeUnknown(failure, of: request, under: policy))
    }

    @Test(
        arguments: [
            (.httpStatus, 404, true), (.httpStatus, 429, true), (.connect, nil, true),
            (.redirectLimit, nil, true), (.mimeType, nil, false),
        ] as [(TransferFailure.Kind, Int?, Bool)]
    )
    func `an answered order whose result is unavailable has an unknown outcome`(
        kind: TransferFailure.Kind,
        status: Int?,
        isUnknown: Bool
    ) throws {
        let order = RequestSpec(method: "POST", url: try TransferURL("https://a.test/"))
        var failure = TransferFailure(kind: kind, phase: .wait, detail: "")
        failure.httpStatus = status
        failure.followsOrder = true
        let policy = RetryPolicy()
        #expect(
            RetryDecision.leavesOutcomeUnknown(failure, of: order, under: policy) == isUnknown
        )
        failure.followsOrder = false
        let isConnect = kind == .connect
        #expect(
            RetryDecision.leavesOutcomeUnknown(failure, of: order, under: policy) == isConnect
        )
    }

    @Test(
        arguments: [
            (404, .taskFailed), (409, .taskFailed), (408, .temporary), (425, .temporary),
            (429, .temporary), (500, .temporary), (503, .temporary), (599, .temporary),
            (501, .taskFailed), (505, .taskFailed), (507, .taskFailed), (511, .taskFailed),
        ] as [(Int, ExitCode)]
    )
    func `the status decides the exit code`(status: Int, code: ExitCode) {
        var failure = TransferFailure(kind: .httpStatus, phase: .wait, detail: "")
        failure.httpStatus = status
        #expect(failure.exitCode == code)
    }

    @Test(
        arguments: [
            (ENOSPC, .environment), (EACCES, .environment), (EROFS, .environment),
            (EDQUOT, .environment), (ENOENT, .environment), (EEXIST, .taskFailed),
            (ENOTEMPTY, .taskFailed),
            (EFBIG, .environment), (EBUSY, .environment), (EINVAL, .environment),
            (EPERM, .environment), (EMFILE, .environment), (ESTALE, .environment),
        ] as [(Int32, ExitCode)]
    )
    func `the errno of local input and output decides the exit code`(errno: Int32, code: ExitCode) {
        var failure = TransferFailure(kind: .localIO, phase: .finish, detail: "")
        failure.osErrno = Int(errno)
        #expect(failure.exitCode == code)
    }

    @Test func `a refused certificate is not temporary`() {
        var failure = TransferFailure(kind: .tls, phase: .tls, detail: "")
        failure.isPermanent = true
        #expect(failure.exitCode == .taskFailed)
    }

    @Test func `codes win in their documented order`() {
        let order: [ExitCode] = [
            .integrity, .environment, .taskFailed, .deadline, .deferred, .temporary, .success,
        ]
        for (position, winner) in order.enumerated() {
            for loser in order[position...] {
                #expect(winner.combined(with: loser) == winner)
                #expect(loser.combined(with: winner) == winner)
            }
        }
    }
}
