internal import TransferModel

/// What a proxy has answered to being asked for a tunnel so far.
final class TunnelRequest {
    /// What an answer's line leads to.
    enum Step {
        case reading
        /// An answer's head is whole.
        case answered
        /// The proxy's answers cannot be used, in words.
        case violation(String)
    }

    /// One for each round that a scheme takes, and one after a nonce that was stale.
    private static let mostAnswers = 4

    private var parser = ResponseHeadParser()
    private var answers = 0
    /// The last answer.
    private(set) var response: ResponseHead?

    /// Whether the tunnel is there.
    var isOpen: Bool { response.map { (200...299).contains($0.statusCode) } ?? false }

    /// Takes one line with its line end.
    func read(_ line: Span<UInt8>) -> Step {
        switch parser.read(line) {
        case .reading, .informed, .began, .trailer: return .reading
        case .violation(let words): return .violation(words)
        case .ended(let head):
            parser = ResponseHeadParser()
            response = head
            answers += 1
            return answers > Self.mostAnswers
                ? .violation("it asks for credentials again and again") : .answered
        }
    }
}
