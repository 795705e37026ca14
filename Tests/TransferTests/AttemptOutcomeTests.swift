import Testing
import TransferModel

@testable import Transfer

@Suite struct AttemptOutcomeTests {
    @Test func `the last failure counts until something else answers`() {
        var outcome = AttemptOutcome()
        #expect(!outcome.hasFailed)
        outcome.fail(ExchangeStage.truncated("cut"))
        outcome.fail(ExchangeStage.badResponse("broken"))
        #expect(outcome.hasFailed)
        #expect(outcome.failure?.detail == "broken")
        outcome.forgetFailure()
        #expect(!outcome.hasFailed)
        #expect(outcome.failure == nil)
    }

    @Test func `a cut refusal replaces the checks of the response, if there are any`() {
        var outcome = AttemptOutcome()
        outcome.noteCutRefusal(.reset)
        #expect(outcome.checks.isEmpty)
        outcome.add([TaskRecord.Check(.clientError, passed: true)])
        outcome.add([TaskRecord.Check(.statusCode, passed: false)])
        #expect(outcome.checks.map(\.check) == [.clientError, .statusCode])
        outcome.noteCutRefusal(.reset)
        let label = TransferFailure.Kind.reset.label
        let check = TaskRecord.Check(.clientError, passed: false, actual: label)
        #expect(outcome.checks == [check])
        outcome.forgetChecks()
        #expect(outcome.checks.isEmpty)
    }
}
