import SystemKit
import TransferModel

/// A scripted server of one resumable upload (draft-ietf-httpbis-resumable-upload), with the faults
/// a test needs.
///
/// Every request except HEAD, PATCH and DELETE of the upload's URL, `/upload/1`, starts a new
/// upload.
package final class UploadOrigin: Sendable {
    /// A faulty reaction to a request.
    package enum Fault: Sendable, Hashable {
        /// Reads that many bytes of the body and closes the connection.
        case cut(after: Int)
        /// Keeps that many bytes of the body, answers with a status and closes the connection.
        case fail(Int, after: Int)
        /// Reads that many bytes of the body, opens `held` and waits until the client has gone.
        case hold(after: Int)
        /// Reads everything and closes the connection without a response.
        case loseAnswer
        /// Claims to have that many bytes.
        case claim(Int)
        /// Answers with a status; of the upload's fields it sends only the location.
        case answer(Int)
        /// Answers with 404 and forgets the upload.
        case forget
        /// Answers with a status and a `Location`.
        case redirect(Int, to: String)
    }

    /// The properties of the server, and its faults.
    package struct Behaviour: Sendable {
        /// The supported versions of the draft.
        package var versions: Set<Int> = [3, 5, 6]
        /// Whether it ignores unsupported versions instead of refusing them.
        package var isSilent = false
        /// Whether it does not support resumable uploads.
        package var isPlain = false
        /// Whether it sends the upload's location before it has read the body.
        package var informs = true
        /// The text before the upload's path.
        package var location = ""
        /// Replacements for the fields of the 104.
        package var informalFields: [String]?
        /// Whether it requires a login.
        package var isPrivate = false
        /// The gate to open when a request is held.
        package var held: Gate?
        /// The most body bytes of a request; larger ones get 413.
        package var limit: Int?
        /// Whether it announces the limit.
        package var tellsLimit = true
        /// By the number of the request, from 0.
        package var faults: [Int: Fault] = [:]
        /// The status of the last response, and its fields.
        package var status = 201
        /// The field lines of the last response besides its status.
        package var fields: [String] = []

        /// Creates a server without faults; `change` sets the other properties.
        package init(_ change: (inout Behaviour) -> Void = { _ in }) { change(&self) }
    }

    private struct State {
        var count = 0
        var isKnown = false
        var isComplete = false
        var bytes: [UInt8] = []
        /// Completed bodies, in order.
        var bodies: [[UInt8]] = []
    }

    private let server: ScriptedServer
    private let state: Lock<State>

    /// Starts a server on a free port of 127.0.0.1.
    package init(_ behaviour: Behaviour = Behaviour()) throws {
        let state = Lock(State())
        self.state = state
        let faults = Lock<[String: Fault]>([:])
        server = try ScriptedServer(
            continues: { headers in
                !behaviour.isTooLong(headers["content-length"].flatMap { Int($0) } ?? 0)
            },
            before: { request in
                let (number, isCreation) = state.withLock { state in
                    defer { state.count += 1 }
                    let isCreation = request.path != "/upload/1"
                    if isCreation, !behaviour.isPlain {
                        state.isKnown = behaviour.speaks(request)
                        state.isComplete = false
                        state.bytes = []
                    }
                    return (state.count, isCreation)
                }
                faults.withLock { $0[request.place] = behaviour.faults[number] }
                guard isCreation, behaviour.informs, behaviour.speaks(request) else { return nil }
                if case .redirect = behaviour.faults[number] { return nil }
                return Reply.head(104, behaviour.informalFields ?? behaviour.place(request))
            },
            bodyLimit: { request in
                switch faults.withLock({ $0[request.place] }) {
                case .cut(let count), .hold(let count): return count
                // Unread bytes would destroy the response.
                default: return nil
                }
            },
            answer: { request in
                let fault = faults.withLock { $0[request.place] }
                return state.withLock { Self.answer(request, fault, behaviour, &$0) }
            }
        )
    }

    /// The absolute URL of a path with its leading slash.
    package func url(_ path: String) -> String { server.url(path) }
    /// Without a slash at its end.
    package var origin: String { server.origin }
    /// All requests so far, in the order of their completion.
    package var requests: [RecordedRequest] { server.requests }

    /// The completed bodies, in order.
    package var bodies: [[UInt8]] { state.withLock { $0.bodies } }

    /// A summary of requests, such as `PATCH 3000`, with the offset they name.
    package var outline: [String] {
        requests.map { request in
            request.method + (request.headers["upload-offset"].map { " \($0)" } ?? "")
        }
    }

    /// A response with `Connection: close`, after which the connection ends (RFC 9112 §9.6).
    private static func closing(_ status: Int, _ fields: [String] = []) -> Reply {
        .status(status, fields + ["Connection: close"]) + [.close]
    }

    private static func answer(
        _ request: RecordedRequest,
        _ fault: Fault?,
        _ behaviour: Behaviour,
        _ state: inout State
    ) -> Reply {
        if behaviour.isPrivate, request.headers["authorization"] == nil {
            return closing(401, ["WWW-Authenticate: Basic realm=\"r\""])
        }
        if case .redirect(let status, let location) = fault {
            return closing(status, ["Location: \(location)"])
        }
        if case .answer(let status) = fault { return closing(status) }
        if case .forget = fault { state.isKnown = false }
        let isCreation = request.path != "/upload/1"
        let speaks = behaviour.speaks(request)
        if isCreation, !behaviour.isPlain, !behaviour.isSilent, !speaks,
            request.headers["upload-draft-interop-version"] != nil
        {
            let newest = behaviour.versions.max() ?? 0
            return closing(400, ["Upload-Draft-Interop-Version: \(newest)"])
        }
        guard isCreation || state.isKnown else { return .status(404) }
        switch request.method {
        case "HEAD":
            if case .cut = fault { return Reply([.reset]) }
            var offset = state.bytes.count
            if case .claim(let count) = fault { offset = count }
            return Reply([
                .send(
                    Reply.head(
                        204,
                        behaviour.completeness(request, state.isComplete)
                            + ["Upload-Offset: \(offset)"]
                    )
                )
            ])
        case "DELETE":
            state.isKnown = false
            return Reply([.send(Reply.head(204, []))])
        default: break
        }
        let length = request.headers["content-length"].flatMap { Int($0) } ?? 0
        if behaviour.isTooLong(length) {
            let limit = behaviour.tellsLimit ? behaviour.limit : nil
            return closing(413, limit.map { ["Upload-Limit: max-append-size=\($0)"] } ?? [])
        }
        if request.method == "PATCH", !isCreation {
            guard request.headers["upload-offset"] == "\(state.bytes.count)" else {
                return .status(409, ["Upload-Offset: \(state.bytes.count)"])
            }
        }
        if case .fail(_, let count) = fault {
            state.bytes += request.body.prefix(count)
        } else {
            state.bytes += request.body
        }
        let held = Reply(behaviour.held.map { [.open($0)] } ?? []) + [.waitForPeerToLeave]
        switch fault {
        case .cut: return Reply([.reset])
        case .hold(let count) where count < length: return held
        case .fail(let status, _): return closing(status)
        default: break
        }
        let isLast =
            request.headers["upload-complete"] != "?0"
            && request.headers["upload-incomplete"] != "?1"
        guard isLast else {
            return .status(
                201,
                behaviour.completeness(request, false) + ["Upload-Offset: \(state.bytes.count)"]
            )
        }
        state.isComplete = true
        state.bodies.append(state.bytes)
        switch fault {
        case .loseAnswer: return .hangUp
        case .hold: return held
        default: break
        }
        let fields = speaks || !isCreation ? behaviour.completeness(request, true) : []
        return .status(behaviour.status, fields + behaviour.fields, text: "\(state.bytes.count)")
    }
}

extension UploadOrigin.Behaviour {
    fileprivate func speaks(_ request: RecordedRequest) -> Bool {
        !isPlain
            && request.headers["upload-draft-interop-version"].flatMap { Int($0) }
                .map(versions.contains) == true
    }

    /// Whether a body is too long for one request, except the request that starts the upload.
    fileprivate func isTooLong(_ length: Int) -> Bool {
        limit.map { length > $0 } ?? false
    }

    /// The fields with the upload's location.
    fileprivate func place(_ request: RecordedRequest) -> [String] {
        let version = request.headers["upload-draft-interop-version"] ?? ""
        let limits = limit.flatMap { tellsLimit ? "Upload-Limit: max-append-size=\($0)" : nil }
        return ["Upload-Draft-Interop-Version: \(version)", "Location: \(location)/upload/1"]
            + [limits].compactMap(\.self)
    }

    fileprivate func completeness(_ request: RecordedRequest, _ isComplete: Bool) -> [String] {
        request.headers["upload-draft-interop-version"] == "3"
            ? ["Upload-Incomplete: \(isComplete ? "?0" : "?1")"]
            : ["Upload-Complete: \(isComplete ? "?1" : "?0")"]
    }
}

extension RecordedRequest {
    /// The request's connection and its number there.
    fileprivate var place: String { "\(connection) \(indexOnConnection)" }
}
