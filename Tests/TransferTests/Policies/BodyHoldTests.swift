import Testing
import TransferModel

@testable import Transfer

@Suite struct BodyHoldTests {
    private func refusal(
        hasSentBody: Bool = false,
        mayRepeat: Bool = false,
        expect: String? = nil,
        statusCodes: [ClosedRange<Int>]? = nil,
        wasProxyAsked: Bool = false
    ) -> BodyHold.Refusal {
        var expectation = Expectation()
        if let statusCodes { expectation.statusCodes = statusCodes }
        return BodyHold.Refusal(
            hasSentBody: hasSentBody,
            mayRepeat: mayRepeat,
            fields: expect.map { [HeaderField(name: "Expect", value: $0)] } ?? [],
            expectation: expectation,
            wasProxyAsked: wasProxyAsked
        )
    }

    @Test func `a body is held back while a challenge may come, or for the proxy`() {
        var hold = BodyHold()
        #expect(!hold.holdsBodyBack(forProxy: false))
        #expect(hold.holdsBodyBack(forProxy: true))
        hold.beginHop(awaitsChallenge: true)
        #expect(hold.holdsBodyBack(forProxy: false))
        hold.didAnswerChallenge()
        #expect(!hold.holdsBodyBack(forProxy: false))
    }

    @Test func `after a refusal only the next server may delay the body`() {
        var hold = BodyHold()
        hold.beginHop(awaitsChallenge: true)
        hold.didRefuse()
        #expect(!hold.holdsBodyBack(forProxy: true))
        hold.beginHop(awaitsChallenge: true)
        #expect(hold.holdsBodyBack(forProxy: false))
    }

    @Test func `only the runner's own refused Expect field is dropped`() {
        var hold = BodyHold()
        #expect(!hold.sendsUnasked(after: refusal()))
        #expect(hold.sendsUnasked(after: refusal(wasProxyAsked: true)))
        hold.beginHop(awaitsChallenge: true)
        #expect(hold.sendsUnasked(after: refusal()))
    }

    @Test(arguments: [true, false], [nil, "100-continue"])
    func `a sent body is sent again only if the request is repeatable`(
        mayRepeat: Bool,
        expect: String?
    ) {
        var hold = BodyHold()
        hold.beginHop(awaitsChallenge: true)
        let late = refusal(hasSentBody: true, mayRepeat: mayRepeat, expect: expect)
        #expect(hold.sendsUnasked(after: late) == mayRepeat)
    }

    @Test func `a task's own Expect is dropped unless the task expects the refusal`() {
        let hold = BodyHold()
        #expect(hold.sendsUnasked(after: refusal(expect: "100-Continue")))
        #expect(!hold.sendsUnasked(after: refusal(expect: "x-other")))
        #expect(
            !hold.sendsUnasked(
                after: refusal(expect: "100-continue", statusCodes: [200...299, 417...417])
            )
        )
    }

    @Test func `a request without its body stays one until the next body begins`() {
        var hold = BodyHold()
        hold.didSendWithoutBody()
        #expect(hold.lacksBody)
        hold.beginBody()
        #expect(!hold.lacksBody)
    }
}
