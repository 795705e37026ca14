import Testing
import TransferModel

@testable import Plan

@Suite struct LockPolicyTextTests {
    @Test(arguments: [
        ("fail", LockPolicy.fail), ("skip", .skip), ("wait", .wait(nil)),
        ("wait 5m", .wait(.seconds(300))), ("wait 1h30m", .wait(.seconds(5400))),
    ])
    func `a word, and a wait's limit behind it`(text: String, policy: LockPolicy) throws {
        #expect(try LockPolicyText.parse(text) == policy)
        #expect(try Regex(LockPolicyText.pattern).wholeMatch(in: text) != nil)
    }

    @Test(arguments: [
        ("Fail", "fail"), ("5m", "wait 5m"), ("wait 0s", "fail"), ("wait 5", "5s"),
        ("wait  5m", nil), ("true", nil), ("", nil), ("wait 5m ", nil),
    ])
    func `anything else is refused`(text: String, likely: String?) throws {
        let fault = try #require(throws: ValueFault.self) { try LockPolicyText.parse(text) }
        #expect(fault.likely == likely)
        #expect(try Regex(LockPolicyText.pattern).wholeMatch(in: text) == nil)
    }
}
