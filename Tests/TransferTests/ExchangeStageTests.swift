import Testing
import TransferModel

@testable import Transfer

@Suite struct ExchangeStageTests {
    private static let fresh = ExchangeStage(
        phase: .connect,
        hasSentAnything: false,
        hasSentBody: false
    )
    private static let late = ExchangeStage(
        phase: .wait,
        hasSentAnything: true,
        hasSentBody: true
    )

    @Test func `a failure before anything has left is known to be unprocessed`() {
        for (stage, isUnprocessed) in [(Self.fresh, true), (Self.late, false)] {
            let failures = [
                stage.cancellation, stage.connectionLoss, stage.unansweredRequest,
                stage.uncleanConnections, stage.excessBody(of: 503, limit: 9),
                Self.timeout(stage, .deadline, nil),
            ]
            for failure in failures {
                #expect(failure.phase == stage.phase)
                #expect(failure.isKnownUnprocessed == isUnprocessed)
            }
        }
    }

    @Test func `an excess body names its status and its limit`() {
        let failure = Self.late.excessBody(of: 503, limit: 9)
        #expect(failure.detail.contains("503") && failure.detail.contains("9 bytes"))
        #expect(failure.isPermanent)
        #expect(Self.late.excessBody(of: nil, limit: nil).detail.contains("never ends"))
    }

    @Test(
        arguments: [
            (ActivityWatch.Verdict.idle, TransferFailure.Kind.timeout),
            (.stalled, .stalled), (.deadline, .timeout),
        ]
    )
    func `each limit of time has a failure`(
        verdict: ActivityWatch.Verdict,
        kind: TransferFailure.Kind
    ) {
        let failure = Self.timeout(Self.late, verdict, TimeLimit(.timeoutInterval, .seconds(60)))
        #expect(failure.kind == kind)
        #expect(failure.urlError == .timedOut)
    }

    @Test func `a failure of time has the key and the value of its limit`() {
        let own = TimeLimit(.timeoutInterval, .seconds(60))
        let ofSession = TimeLimit(.timeoutIntervalForRequest, .seconds(60))
        for (verdict, limit, detail, key) in [
            (.idle, own, "nothing moved within `timeoutInterval: 60s`", "timeoutInterval"),
            (
                .idle, ofSession, "nothing moved within `timeoutIntervalForRequest: 60s`",
                "timeoutIntervalForRequest"
            ),
            (
                .deadline, own, "the task exceeded `timeoutIntervalForResource: 7d`",
                "timeoutIntervalForResource"
            ),
        ] as [(ActivityWatch.Verdict, TimeLimit, String, String)] {
            let failure = Self.timeout(Self.late, verdict, limit)
            #expect(failure.detail == detail)
            #expect(failure.decidingKey == [key])
        }
    }

    private static func timeout(
        _ stage: ExchangeStage,
        _ verdict: ActivityWatch.Verdict,
        _ timeoutInterval: TimeLimit?
    ) -> TransferFailure {
        stage.timeout(
            verdict,
            of: SessionConfiguration(name: "s"),
            timeoutInterval: timeoutInterval,
            body: nil
        )
    }
}
