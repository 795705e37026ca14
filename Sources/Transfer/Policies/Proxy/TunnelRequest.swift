internal import TransferModel

/// What a proxy has answered to being asked for a tunnel so far.
final class TunnelRequest {
    /// What an answer's line leads to.
    enum Step {
        case reading
        /// An answer's head is whole.
        case answered(statusCode: Int)
        /// The proxy's answers cannot be used, in words.
        case violation(String)
    }

    /// Of the body of an answer, which libcurl reads byte by byte, telling of each, and without a
    /// pause: the pages of proxies have less.
    static let bodyLimit: Int64 = 64 << 10

    private var parser = ResponseHeadParser()
    private var discardedBytes: Int64 = 0
    /// The answer to the last request; nil while there is none.
    private(set) var response: ResponseHead?
    /// The status of an informational answer, which libcurl takes for the final one.
    private(set) var informationalStatus: Int?

    /// Whether the tunnel is there.
    var isOpen: Bool { response.map { (200...299).contains($0.statusCode) } ?? false }

    /// The proxy is asked once more: what it has answered before is not its answer to this.
    func willAnswerAnew() {
        parser = ResponseHeadParser()
        response = nil
        discardedBytes = 0
    }

    /// Takes one line with its line end.
    func read(_ line: Span<UInt8>) -> Step {
        switch parser.read(line) {
        case .reading, .began, .trailer: return .reading
        case .informed(let head):
            informationalStatus = head.statusCode
            return .reading
        case .violation(let words): return .violation(words)
        case .ended(let head):
            parser = ResponseHeadParser()
            response = head
            return .answered(statusCode: head.statusCode)
        }
    }

    /// Notes that a byte of an answer's body has come, and says whether another one may.
    func mayDiscardByte() -> Bool {
        discardedBytes += 1
        return discardedBytes <= Self.bodyLimit
    }
}
