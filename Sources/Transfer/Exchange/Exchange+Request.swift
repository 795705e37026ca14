internal import CurlKit
internal import SystemKit
internal import TransferModel

// Prepares the hop's request, and describes it.
extension Exchange {
    /// Decides which credential the first request of a hop carries.
    func beginAuthentication() {
        guard authentication != nil else { return }
        let start = authentication?.begin(
            hop.url,
            hasBody: carriesBody,
            hasAuthorization: hop.headers.contains { $0.name.lowercased() == "authorization" },
            known: session.knownSpaces
        )
        bodyHold.beginHop(awaitsChallenge: start == .asking)
    }

    /// Signs the next exchange's request, if its credential signs requests.
    func sign() throws(TransferFailure) {
        guard let authentication else { return }
        sent.signature = []
        sent.signature = try authentication.signature(
            for: hop,
            carriesBody ? request.body : nil
        ) {
            // Not the run's clock: a server compares the date with its own clock, and machines
            // sleep or are set right.
            Timestamp(microseconds: Clock.wallNanoseconds() / 1000)
        }
    }

    /// The cookies that the current hop carries, or would to another URL; nil for none.
    func cookieField(for url: HTTPURL) -> String? {
        session.cookies?.field(for: url, with: hop.headers, first: request.request.url)
    }

    /// What the hop's request demands of its connection.
    var connectionDemand: ConnectionPolicy.Demand {
        ConnectionPolicy.Demand(
            newestVersion: newestVersion,
            // The method first: a call with the request copies it.
            isSentOnce: !RequestSpec.isSafe(hop.method)
                && request.resending.requiresFreshConnection(for: hop),
            isUpload: upload != nil
        )
    }

    private var newestVersion: HTTPProtocol {
        let mayUseStream =
            !connection.keepsToHTTP1
            && session.streamTrust.mayCarry(
                hop.method,
                carriesBody: carriesBody,
                mayRepeat: request.resending.allows(hop)
            )
        return mayUseStream ? session.httpProtocol(for: hop.url.origin) : .http1
    }

    func easyBody() -> EasyRequest.Body {
        bodyHold.beginBody()
        guard carriesBody else { return .none }
        switch request.body {
        case .bytes(let bytes): return easyBody(bytes, originalCount: bytes.count)
        case .compressed(let bytes, let originalCount):
            return easyBody(bytes, originalCount: originalCount)
        case nil:
            return .none
        default:
            recorder.willSendBody(.pieces(total: body?.size))
            return .stream(size: body?.size)
        }
    }

    private func easyBody(_ bytes: [UInt8], originalCount: Int) -> EasyRequest.Body {
        let part = upload?.appended(of: bytes)
        let count = part?.count
        recorder.willSendBody(
            .memory(sent: count ?? bytes.count, original: count ?? originalCount)
        )
        return .bytes(part ?? bytes)
    }

    /// Whether the length of the body is unknown.
    var isStream: Bool {
        carriesBody && body.map { $0.size == nil } ?? false
    }

    /// The length of the whole body; nil when unknown, or without one.
    var bodySize: Int64? {
        switch request.body {
        case .bytes(let bytes), .compressed(let bytes, _): Int64(bytes.count)
        default: body?.size
        }
    }

    /// What the attempt has to send; nil when unknown.
    var expectedToSend: Int64? { upload?.machine.total ?? bodySize }

    /// The URL of the running request for a report.
    var reportedURL: String { upload?.reported(hop.url) ?? hop.url.text }

    /// A response's head for a report.
    func reported(_ head: ResponseHead) -> ResponseHead {
        upload?.reported(head, from: hop.url) ?? head
    }
}
