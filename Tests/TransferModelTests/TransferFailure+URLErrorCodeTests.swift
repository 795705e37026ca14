import Testing
import TransferModel

@Suite struct TransferFailureURLErrorCodeTests {
    @Test func `every code has a number of its own, by which it is found`() {
        let codes = TransferFailure.URLErrorCode.allCases
        #expect(Set(codes.map(\.code)).count == codes.count)
        for code in codes { #expect(TransferFailure.URLErrorCode(code: code.code) == code) }
        #expect(TransferFailure.URLErrorCode(code: 7) == .unknown)
    }

    @Test(arguments: [(-1001, "timedOut"), (-999, "cancelled"), (-3000, "cannotCreateFile")])
    func `a code has Apple's number and name`(number: Int, name: String) {
        let code = TransferFailure.URLErrorCode(code: number)
        #expect(code.code == number && code.name == name)
    }
}
