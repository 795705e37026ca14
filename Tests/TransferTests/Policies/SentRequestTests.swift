import Testing

@testable import Transfer

@Suite struct SentRequestTests {
    @Test func `only the exchange right behind a challenge answers it`() {
        var request = SentRequest()
        #expect(!request.takeAnswersChallenge() && !request.hasAnsweredChallenge)
        request.answersChallenge = true
        #expect(!request.hasAnsweredChallenge, "the running exchange has asked without an answer")
        #expect(request.takeAnswersChallenge() && request.hasAnsweredChallenge)
        #expect(!request.takeAnswersChallenge() && !request.hasAnsweredChallenge)
    }
}
