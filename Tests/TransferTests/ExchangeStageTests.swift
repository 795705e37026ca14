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
                stage.timeout(.deadline, idleLimit: nil, body: nil),
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
        let failure = Self.late.timeout(verdict, idleLimit: .seconds(60), body: nil)
        #expect(failure.kind == kind)
        #expect(failure.urlError == .timedOut)
        if verdict == .idle { #expect(failure.detail == "nothing moved for 60000 ms") }
    }
}
