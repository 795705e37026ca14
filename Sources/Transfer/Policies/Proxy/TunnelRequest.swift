internal import TransferModel

/// The responses of a proxy so far to requests for a tunnel.
final class TunnelRequest {
    /// The result of reading a line.
    enum Step {
        case reading
        /// The head of a response is complete.
        case answered(statusCode: Int)
        /// The proxy's response is unusable; the text says why.
        case violation(String)
    }

    /// The most bytes of a response's body, which libcurl reads and reports one by one without a
    /// pause: the pages of proxies are shorter.
    static let bodyLimit: Int64 = 64 << 10

    private var parser = ResponseHeadParser()
    private var discardedBytes: Int64 = 0
    /// The response to the last request; nil before it arrives.
    private(set) var response: ResponseHead?
    /// The status of an informational response, which libcurl mistakes for the final one.
    private(set) var informationalStatus: Int?

    /// Whether the tunnel exists.
    var isOpen: Bool { response.map { (200...299).contains($0.statusCode) } ?? false }

    /// Prepares for another request: earlier responses do not answer it.
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

    /// Notes a byte of a response's body; returns whether another one is acceptable.
    func mayDiscardByte() -> Bool {
        discardedBytes += 1
        return discardedBytes <= Self.bodyLimit
    }
}
