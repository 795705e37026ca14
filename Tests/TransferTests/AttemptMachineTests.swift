import Testing
import TransferModel

@testable import Transfer

/// The order in which the policies of an attempt decide what follows an exchange.
@Suite struct AttemptMachineTests {
    private static func machine(
        _ verdict: ResponseVerdict?,
        hasFailed: Bool = false,
        repetition: Resumption.Repetition? = nil,
        isGivingUp: Bool = false
    ) -> AttemptMachine {
        AttemptMachine(
            hasFailed: hasFailed,
            repetition: repetition,
            isGivingUp: isGivingUp,
            verdict: verdict
        )
    }

    private static let refusal = ResponseVerdict.statusFailure(ResponseHead(statusCode: 500))

    @Test(
        arguments: [
            (ResponseVerdict.accept, AttemptStep.finish),
            (.refuse(refusal), .finish), (.stored, .finish), (nil, .finish),
            (.redirect, .follow), (.sendUnasked, .again(.unasked)), (.proceed, .proceed),
            (.challenge(.credential(2)), .answer(.credential(2))),
            (.challenge(.byLibrary), .answer(.byLibrary)),
        ] as [(ResponseVerdict?, AttemptStep)]
    )
    func `each verdict has its step, and a failure ends the attempt`(
        verdict: ResponseVerdict?,
        step: AttemptStep
    ) {
        #expect(Self.machine(verdict).step == step)
        #expect(Self.machine(verdict, hasFailed: true).step == .finish)
        #expect(Self.machine(verdict, repetition: .wholeFile).step == .again(.wholeFile))
        #expect(Self.machine(verdict, repetition: .rest).step == .again(.rest))
    }

    @Test func `an upload that was given up goes on without an answer, or with one passed over`() {
        #expect(Self.machine(nil, isGivingUp: true).step == .didCancelUpload)
        #expect(Self.machine(.proceed, isGivingUp: true).step == .didCancelUpload)
        #expect(Self.machine(.redirect, isGivingUp: true).step == .follow)
    }

    @Test func `a body without a voucher is fetched again before the cache decides`() {
        var machine = Self.machine(.accept)
        machine.isUnvouched = true
        machine.isCaching = true
        #expect(machine.step == .again(.unvouched))
        var failed = Self.machine(.accept, hasFailed: true)
        failed.isUnvouched = true
        #expect(failed.step == .finish)
    }

    @Test func `a proxy's question comes before a resent request, the cache and all others`() {
        var machine = Self.machine(.redirect, hasFailed: true, repetition: .wholeFile)
        machine.isCaching = true
        #expect(machine.step == .endCaching)
        machine.isGivenUp = true
        #expect(machine.step == .again(.givenUp))
        machine.isAsked = true
        #expect(machine.step == .answerProxy)
    }
}
