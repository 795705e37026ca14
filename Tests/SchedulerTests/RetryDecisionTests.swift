import Testing
import TransferModel

@testable import Scheduler

@Suite struct RetryDecisionTests {
    private func decide(
        _ failure: TransferFailure,
        method: String = "GET",
        key: Bool = false,
        policy: RetryPolicy = .steady,
        history: RetryDecision.History = .init(attempts: 1),
        dice: Double = 0.5
    ) throws -> RetryDecision {
        let headers = key ? [HeaderField(name: "Idempotency-Key", value: "\"k\"")] : []
        let request = RequestSpec(
            method: method,
            url: try TransferURL("http://a.test/"),
            headers: headers
        )
        return RetryDecision.decide(
            failure,
            of: request,
            under: policy,
            history: history,
            dice: dice
        )
    }

    private func failure(_ kind: TransferFailure.Kind, status: Int? = nil) -> TransferFailure {
        var failure = TransferFailure(kind: kind, phase: .receive, detail: "it broke")
        failure.httpStatus = status
        return failure
    }

    private static func get(_ url: String = "http://a.test/") throws -> RequestSpec {
        RequestSpec(method: "GET", url: try TransferURL(url))
    }

    @Test(
        arguments: [
            (.resolve, .dns), (.connect, .connect), (.tls, .tls), (.timeout, .timeout),
            (.stalled, .stalled), (.reset, .reset), (.truncated, .truncated),
            (.integrity, .integrity), (.signature, .integrity),
        ] as [(TransferFailure.Kind, RetryPolicy.Condition)]
    )
    func `a failure is retried exactly when its condition is listed`(
        kind: TransferFailure.Kind,
        condition: RetryPolicy.Condition
    ) throws {
        var policy = RetryPolicy.steady
        policy.conditions = [condition]
        #expect(try decide(failure(kind), policy: policy) == .retry(after: .seconds(1), .backoff))
        policy.conditions = Set(RetryPolicy.Condition.allCases).subtracting([condition])
        #expect(try decide(failure(kind), policy: policy) == .giveUp(.notRetried))
    }

    @Test func `a conversation that has sent messages is repeated only if the policy says so`()
        throws
    {
        var lost = failure(.reset)
        #expect(try decide(lost) == .retry(after: .seconds(1), .backoff))
        lost.followsMessages = true
        #expect(try decide(lost) == .giveUp(.outcomeUnknown))
        var policy = RetryPolicy.steady
        policy.repeat = .always
        #expect(try decide(lost, policy: policy) == .retry(after: .seconds(1), .backoff))
    }

    @Test func `a resumable upload is retried without a key`() throws {
        let history = RetryDecision.History(attempts: 1, leavesUpload: true)
        #expect(
            try decide(failure(.reset), method: "POST", history: history)
                == .retry(after: .seconds(1), .backoff)
        )
        #expect(try decide(failure(.reset), method: "POST") == .giveUp(.outcomeUnknown))
        var policy = RetryPolicy.steady
        policy.repeat = .never
        #expect(
            try decide(failure(.reset), method: "POST", policy: policy, history: history)
                == .giveUp(.repeatNever)
        )
    }

    @Test(
        arguments: [
            .mimeType, .tooLarge, .content, .redirectLimit, .rangeMismatch, .localIO, .cache,
            .cancelled, .engine,
        ] as [TransferFailure.Kind]
    )
    func `a failure that a retry cannot fix is not retried`(kind: TransferFailure.Kind) throws {
        #expect(try decide(failure(kind)) == .giveUp(.notRetried))
    }

    @Test func `a permanent failure of a listed kind is not retried`() throws {
        var certificate = failure(.tls)
        certificate.isPermanent = true
        #expect(try decide(certificate) == .giveUp(.notRetried))
    }

    @Test func `broken framing is retried once`() throws {
        let broken = failure(.protocolViolation)
        #expect(try decide(broken) == .retry(after: .seconds(1), .backoff))
        let again = RetryDecision.History(attempts: 2, hasBrokenFraming: true)
        #expect(try decide(broken, history: again) == .giveUp(.notRetried))
    }

    @Test(arguments: [TransferFailure.Kind.content, .mimeType, .tooLarge])
    func `a failed check is retried when the policy lists the response's status`(
        kind: TransferFailure.Kind
    ) throws {
        let history = RetryDecision.History(attempts: 1, status: 200)
        #expect(try decide(failure(kind), history: history) == .giveUp(.notRetried))
        var policy = RetryPolicy.steady
        policy.statusCodes = [200]
        let again = RetryDecision.retry(after: .seconds(1), .backoff)
        #expect(try decide(failure(kind), policy: policy, history: history) == again)
        let order = try decide(failure(kind), method: "POST", policy: policy, history: history)
        #expect(order == .giveUp(.notRetried))
    }

    @Test(arguments: [
        (408, true), (429, true), (503, true), (404, false), (501, false), (409, false),
    ])
    func `a status is retried when the policy lists it`(status: Int, isRetried: Bool) throws {
        let decision = try decide(failure(.httpStatus, status: status))
        #expect(
            decision == (isRetried ? .retry(after: .seconds(1), .backoff) : .giveUp(.notRetried))
        )
    }

    @Test func `a conflict of a keyed order is retried`() throws {
        let conflict = failure(.httpStatus, status: 409)
        #expect(
            try decide(conflict, method: "POST", key: true) == .retry(after: .seconds(1), .backoff)
        )
    }

    @Test(
        arguments: [
            ("GET", false, false, true), ("PUT", false, false, true), ("POST", false, false, false),
            ("POST", true, false, true), ("POST", false, true, true),
            ("PATCH", false, false, false),
        ]
    )
    func `only idempotent, keyed or unprocessed requests are retried`(
        method: String,
        key: Bool,
        isKnownUnprocessed: Bool,
        isRepeated: Bool
    ) throws {
        var reset = failure(.reset)
        reset.isKnownUnprocessed = isKnownUnprocessed
        let decision = try decide(reset, method: method, key: key)
        #expect(
            decision
                == (isRepeated ? .retry(after: .seconds(1), .backoff) : .giveUp(.outcomeUnknown))
        )
    }

    @Test(arguments: [(417, true), (425, true), (429, true), (503, false)])
    func `a status that refuses before processing allows the repeat of an order`(
        status: Int,
        isRepeated: Bool
    ) throws {
        var policy = RetryPolicy.steady
        policy.statusCodes = [417, 425, 429, 503]
        let decision = try decide(
            failure(.httpStatus, status: status),
            method: "POST",
            policy: policy
        )
        #expect(
            decision
                == (isRepeated ? .retry(after: .seconds(1), .backoff) : .giveUp(.outcomeUnknown))
        )
    }

    @Test(arguments: [417, 425, 429, 503])
    func `no status of the request behind an answered order allows its repeat`(
        status: Int
    ) throws {
        var policy = RetryPolicy.steady
        policy.statusCodes = [417, 425, 429, 503]
        var refusal = failure(.httpStatus, status: status)
        refusal.followsOrder = true
        #expect(
            try decide(refusal, method: "POST", policy: policy) == .giveUp(.outcomeUnknown)
        )
        #expect(
            try decide(refusal, method: "POST", key: true, policy: policy)
                == .retry(after: .seconds(1), .backoff)
        )
    }

    @Test func `repeat always resends an order, and repeat never not even a GET`() throws {
        var policy = RetryPolicy.steady
        policy.repeat = .always
        let reset = failure(.reset)
        #expect(
            try decide(reset, method: "POST", policy: policy)
                == .retry(after: .seconds(1), .backoff)
        )
        policy.repeat = .never
        #expect(try decide(reset, policy: policy) == .giveUp(.repeatNever))
    }

    @Test func `the policy limits the attempts`() throws {
        #expect(
            try decide(failure(.reset), history: .init(attempts: 3))
                == .retry(after: .seconds(4), .backoff)
        )
        #expect(
            try decide(failure(.reset), history: .init(attempts: 4)) == .giveUp(.attemptsExhausted)
        )
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (6, 10), (1_000_000_000, 10)])
    func `the backoff grows by its factor up to its maximum`(attempts: Int, seconds: Int) {
        var backoff = RetryPolicy.Backoff()
        backoff.jitter = .none
        backoff.maximum = .seconds(10)
        #expect(
            RetryDecision.backoff(backoff, after: attempts, dice: 0.1) == .seconds(seconds)
        )
    }

    @Test(arguments: [(0.0, 0), (0.25, 500), (0.5, 1000)])
    func `full jitter waits a part of the backoff`(dice: Double, milliseconds: Int) {
        #expect(
            RetryDecision.backoff(RetryPolicy.Backoff(), after: 2, dice: dice)
                == .milliseconds(milliseconds)
        )
    }

    @Test(arguments: [1, 1.5, 1e300, .infinity, .nan])
    func `no factor and no maximum makes the backoff trap`(factor: Double) {
        var backoff = RetryPolicy.Backoff()
        backoff.jitter = .none
        backoff.factor = factor
        backoff.maximum = .seconds(Int64.max)
        #expect(RetryDecision.backoff(backoff, after: 5000, dice: 0.5) >= .seconds(1))
    }

    @Test func `a longer wait that the server asks for overrides`() throws {
        let busy = failure(.httpStatus, status: 503)
        #expect(
            try decide(busy, history: .init(attempts: 1, retryAfter: .seconds(7)))
                == .retry(after: .seconds(7), .retryAfter)
        )
        #expect(
            try decide(busy, history: .init(attempts: 3, retryAfter: .seconds(2)))
                == .retry(after: .seconds(4), .backoff)
        )
    }

    @Test func `a wait beyond the maximum fails with that reason`() throws {
        let busy = failure(.httpStatus, status: 503)
        let reason = RetryDecision.Reason.retryAfterTooLong(.seconds(301))
        let history = RetryDecision.History(attempts: 1, retryAfter: .seconds(301))
        #expect(try decide(busy, history: history) == .giveUp(reason))
        var explained = busy
        explained.explain(reason, of: try Self.get(), under: .steady)
        #expect(
            explained.detail
                == "it broke; the server asks for a wait of 301 s, `maximumRetryAfter` is 300 s"
        )
        #expect(explained.help?.contains("maximumRetryAfter") == true)
    }

    @Test(arguments: [nil, "see the command"])
    func `advice about the runner's own silence stays`(help: String?) throws {
        var silent = failure(.timeout)
        silent.help = help
        silent.explain(.outcomeUnknown, of: try Self.get(), under: .steady)
        #expect(silent.help?.contains("idempotency key") == (help == nil))
    }

    @Test(
        arguments: [
            (.reset, .wait, nil, "http://a.test:81/", "write `https://`"),
            (.reset, .receive, nil, "http://a.test:81/", "or run again"),
            (.reset, .wait, nil, "http://a.test/", "or run again"),
            (.reset, .wait, nil, "https://a.test/", "or run again"),
            (.truncated, .receive, nil, "http://a.test/", "look at the server or a proxy"),
            (.httpStatus, .receive, 500, "http://a.test/", "or run again later"),
            (.httpStatus, .receive, 501, "http://a.test/", "see its log"),
            (.httpStatus, .receive, 404, "http://a.test/", nil),
            (.reset, .wait, nil, "custom", nil),
        ] as [(TransferFailure.Kind, TransferFailure.Phase, Int?, String, String?)]
    )
    func `a failure that may pass gets the next step`(
        kind: TransferFailure.Kind,
        phase: TransferFailure.Phase,
        status: Int?,
        url: String,
        advice: String?
    ) throws {
        var failure = TransferFailure(kind: kind, phase: phase, detail: "it broke")
        failure.httpStatus = status
        let request =
            url == "custom"
            ? RequestSpec(method: "GET", url: TransferURL(try CustomURL("my://a/b")))
            : try Self.get(url)
        failure.explain(.attemptsExhausted, of: request, under: .steady)
        #expect(failure.help?.hasSuffix(advice ?? "") == (advice == nil ? nil : true))
    }

    @Test func `advice that is there stays, and the outcome is looked at before a new run`() throws
    {
        var quoted = failure(.httpStatus, status: 500)
        quoted.help = "the server said: no"
        quoted.explain(.attemptsExhausted, of: try Self.get(), under: .steady)
        #expect(quoted.help == "the server said: no")
        for reason in [RetryDecision.Reason.outcomeUnknown, .notRetried] {
            var lost = failure(.reset)
            lost.isOutcomeUnknown = true
            lost.explain(reason, of: try Self.get(), under: .steady)
            #expect(lost.help?.hasPrefix("look on the server whether it acted") == true)
        }
    }

    @Test func `a server's Retry-After is ignored when the policy says so`() throws {
        var policy = RetryPolicy.steady
        policy.respectRetryAfter = false
        let history = RetryDecision.History(attempts: 1, retryAfter: .seconds(3600))
        #expect(
            try decide(failure(.httpStatus, status: 503), policy: policy, history: history)
                == .retry(after: .seconds(1), .backoff)
        )
    }

    @Test func `a retry without enough time left is not made`() throws {
        #expect(
            try decide(failure(.reset), history: .init(attempts: 1, remaining: .seconds(1)))
                == .giveUp(.outOfTime)
        )
        #expect(
            try decide(failure(.reset), history: .init(attempts: 1, remaining: .milliseconds(1001)))
                == .retry(after: .seconds(1), .backoff)
        )
    }
}
