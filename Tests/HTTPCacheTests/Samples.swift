import SystemKit
import TransferModel

@testable import HTTPCache

/// The beginning of the tests' time: Sun, 06 Nov 1994 08:49:37 GMT.
let start = Timestamp(microseconds: 784_111_777_000_000)
let startDate = "Sun, 06 Nov 1994 08:49:37 GMT"
let hourLater = "Sun, 06 Nov 1994 09:49:37 GMT"
let dayEarlier = "Sat, 05 Nov 1994 08:49:37 GMT"

/// So many seconds after the beginning.
func time(_ seconds: Int64) -> Timestamp {
    Timestamp(microseconds: start.microseconds + seconds * 1_000_000)
}

/// Tells texts apart, and hides nothing.
let fingerprint: Fingerprint = { bytes in
    let hash = String(ContentHash(of: bytes.span).value, radix: 16)
    return hash + String(repeating: "0", count: 64 - 2 * hash.utf8.count) + hash
}

/// Fields as `Name: value`.
func fields(_ lines: [String]) -> [HeaderField] {
    lines.map { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
        return HeaderField(name: String(parts[0]), value: String(value))
    }
}

func headerFields(_ lines: [String]) -> HeaderFields { HeaderFields(fields(lines)) }

/// A response that was received at the beginning.
func sample(
    _ lines: String...,
    status: Int = 200,
    body: String = "content"
) -> StoredResponse {
    let bytes = Array(body.utf8)
    return StoredResponse(
        statusCode: status,
        fields: headerFields(lines),
        requestTime: start,
        responseTime: start,
        body: .init(length: Int64(bytes.count), hash: ContentHash(of: bytes.span).value, name: "1")
    )
}

func request(
    _ lines: String...,
    method: String = "GET",
    url: String = "http://a.example/x",
    policy: RequestCachePolicy = .useProtocolCachePolicy
) throws -> CacheRequest {
    CacheRequest(method: method, url: try TransferURL(url), fields: fields(lines), policy: policy)
}

/// The result of a plan.
enum Outcome: Equatable {
    case serve(CacheVerdict.Outcome, CacheVerdict.Reason)
    case ask(CacheVerdict.Reason, [HeaderField])
    case unavailable

    init(_ plan: CachePlan) {
        switch plan {
        case .serve(_, let verdict, _): self = .serve(verdict.outcome, verdict.reason)
        case .ask(let question): self = .ask(question.reason, question.conditions)
        case .unavailable: self = .unavailable
        }
    }
}

/// The plan for a request when `stored` answered `earlier` before.
func plan(
    _ request: CacheRequest,
    _ stored: StoredResponse...,
    answering earlier: CacheRequest? = nil,
    at seconds: Int64 = 10
) -> Outcome {
    let known = stored.map { response in
        var response = response
        response.selection =
            Selection(of: response.fields, to: earlier ?? request, fingerprint) ?? Selection()
        return response
    }
    if let plan = CachePlan.beforeLookup(request, isRepeated: false) { return Outcome(plan) }
    return Outcome(
        CachePlan.make(for: request, stored: known, now: time(seconds), fingerprint)
    )
}
