internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The requests that fetch the file of one attempt, and its bytes.
///
/// The first request is the attempt's own; each other one is an exchange with a handle of its own,
/// at the same URL or at a mirror.
/// The file counts only the bytes before the first gap, so that the part of a cut download is
/// always a prefix. Lives on its engine's thread.
final class SegmentedDownload {
    /// The attempt's own exchange, which holds the download by its role.
    unowned let main: Exchange
    /// The exchanges of the running requests but for the attempt's own, by number.
    private(set) var lanes: [Int: Exchange] = [:]
    /// Whether the attempt's own request has ended.
    private(set) var isMainOver = false
    /// Whether the attempt's own request has failed.
    private(set) var hasMainFailed = false
    /// Whether nothing of the download is left to do, or it was abandoned.
    private(set) var isOver = false
    /// Whether the machine may have a step.
    private(set) var wantsTurn = true
    /// Why a request ended without its bytes: the newest failure.
    private var failure: TransferFailure?

    private var machine: SegmentMachine
    private let output: OutputFile
    /// The request for the file at each source: the URL that has answered, then mirrors.
    private let requests: [RequestSpec]
    /// The validator of each source; nil for a mirror that has not answered yet.
    private var validators: [ResumeValidator?]
    /// Why an answer of the first source to a request for a part was not the part; nil without one.
    private var unusable: (reason: String, refusesRange: Bool)?
    /// The mirrors that have sent a part.
    private(set) var mirrors: [Origin] = []
    private let total: Int64
    /// The bytes of earlier attempts.
    private let presentCount: Int64
    private var mainLane = 0
    private var records: [TransactionMetrics] = []
    /// The exchanges of requests that the end of the download has ended.
    private var leftover: [Exchange] = []

    /// Files that are hardly larger than one piece arrive sooner over one connection.
    private static let leastLength = 2 * SegmentMachine.leastPiece

    /// Prepares the download whose accepted response has just begun; nil unless it has a length, a
    /// strong validator and a server that may send ranges.
    init?(of exchange: Exchange, _ file: TaskSpec.Destination, _ wanted: TaskSpec.Segments) {
        guard wanted != .count(1), exchange.hop.method == "GET",
            let head = exchange.head, exchange.response.decoding == nil,
            exchange.response.servedLength == nil, !exchange.hop.url.isLocal,
            exchange.response.bodyCheck?.looksAtBytes != true,
            head.fields["accept-ranges"]?.lowercased() != "none", !head.hasContentCoding,
            let length = exchange.response.contentLength, length >= Self.leastLength,
            case .file(let output, _) = exchange.response.sink.content,
            let validator = ResumeValidator(head, now: exchange.context.clock.timestamp(of: .now))
        else { return nil }
        main = exchange
        self.output = output
        let start = exchange.policies.part.start
        // The response may have less than the rest.
        let partial =
            exchange.policies.part.isRest ? exchange.policies.part.resumption?.partial : nil
        total = partial?.total ?? start + length
        let present = ByteRangeSet([0..<start] + (partial?.looseRanges ?? []))
        presentCount = present.count
        requests = Self.requests(of: exchange, hasChecksum: file.checksum != nil)
        validators = [validator] + Array(repeating: nil, count: requests.count - 1)
        let limit: SegmentGrowth.Limit =
            switch wanted {
            case .count(let count): .fixed(count)
            case .automatic: .measured
            }
        machine = SegmentMachine(
            total: total,
            present: present,
            sources: requests.map { _ in SegmentSource(limit: SegmentGrowth.mostFixed) },
            limit
        )
    }

    /// The request for the file at the URL that has answered, then the requests at mirrors that no
    /// attempt has asked; none at mirrors without a checksum, and none after a file with a wrong
    /// one.
    ///
    /// A validator distinguishes versions of one resource, not two resources (RFC 9110 §8.8.3).
    private static func requests(of exchange: Exchange, hasChecksum: Bool) -> [RequestSpec] {
        var own = exchange.hop
        own.headers.removeAll { ["range", "if-range"].contains($0.name.lowercased()) }
        guard hasChecksum, exchange.request.mixesMirrors else { return [own] }
        let mirrors = exchange.request.nextMirrors.filter(\.isOfHTTP)
        return [own] + mirrors.map { exchange.request.request.directed(to: $0) }
    }

    /// Whether a request is for a source; the attempt's own is for the first one.
    func isOf(_ source: Int, _ lane: Int) -> Bool {
        lane == mainLane ? source == 0 : machine.source(of: lane) == source
    }

    /// The server of a source.
    func origin(of source: Int) -> Origin { requests[source].url.origin }

    /// The servers of all sources; several may be the same.
    var sources: Range<Int> { requests.indices }

    /// Why the first source sends no parts; nil while it sends some, in spite of an answer that was
    /// none.
    var refusal: String? { machine.isClosed(0) ? unusable?.reason : nil }

    /// Whether the first source refuses ranges, so that a request for the rest would be in vain:
    /// the attempt's own response is no part either.
    var refusesRanges: Bool {
        unusable?.refusesRange == true && !machine.hasSentPart(0) && !main.policies.part.isRest
    }

    /// The bytes that this attempt has received.
    var receivedCount: Int64 { machine.received.count - presentCount }

    /// The bytes after the first gap.
    var looseRanges: [Range<Int64>] { machine.received.ranges.filter { $0.lowerBound > 0 } }

    /// Adopts the attempt's own request; returns its number.
    func adoptMain(at now: MonotonicTime) -> Int {
        mainLane = machine.adopt(
            source: 0,
            from: main.policies.part.start,
            after: main.recorder.latency,
            at: now
        )
        return mainLane
    }

    // MARK: - Events

    /// Judges the head of the response to a request for a segment; false when its body is unwanted.
    func judge(_ head: ResponseHead, of lane: Int, to request: SegmentRequest) -> Bool {
        guard let exchange = lanes[lane] else { return false }
        let answer = request.judge(head, contentLength: exchange.response.contentLength)
        let source = machine.source(of: lane)
        machine.didAnswer(lane, answer, at: .now)
        wantsTurn = true
        if case .part = answer {
            if let source, source > 0 {
                let mirror = origin(of: source)
                if !mirrors.contains(mirror) { mirrors.append(mirror) }
                let now = main.context.clock.timestamp(of: .now)
                validators[source] = validators[source] ?? ResumeValidator(head, now: now)
            }
            exchange.response.verdict = .accept
            return true
        }
        if case .unusable(let reason) = answer, source == 0 {
            unusable = unusable ?? (reason, [412, 416].contains(head.statusCode))
        }
        let failure = ResponseVerdict.statusFailure(head)
        exchange.response.verdict = .refuse(failure)
        exchange.response.isCutOff = true
        exchange.fail(failure)
        return false
    }

    /// Writes bytes of a request to the file; false when its response has no more wanted bytes.
    ///
    /// - Throws: The file system's error, which ends the attempt.
    func write(_ bytes: Span<UInt8>, of lane: Int) throws(SystemError) -> Bool {
        guard let offset = machine.offset(of: lane) else { return false }
        let now = main.move(bytes: lane == mainLane ? 0 : bytes.count)
        let count = machine.claim(bytes.count, for: lane)
        do throws(SystemError) {
            try output.write(bytes.extracting(first: count), at: offset)
        } catch {
            failure = TransferFailure(error, phase: .receive)
            machine.giveUp(at: now)
            wantsTurn = true
            throw error
        }
        _ = machine.take(bytes.count, of: lane, at: now)
        if offset <= output.size { output.join(upTo: machine.prefix) }
        if lane != mainLane { main.keepPart(at: now) }
        guard machine.isSatisfied(lane) else { return true }
        wantsTurn = true
        return count == bytes.count && !machine.isCut(lane)
    }

    /// Notes the end of a request.
    func didEnd(_ lane: Int, _ exchange: Exchange) {
        if let failure = exchange.failure, !machine.isSatisfied(lane) {
            self.failure = failure
            if lane == mainLane { hasMainFailed = true }
        }
        machine.didEnd(lane, at: .now)
        wantsTurn = true
        if lane == mainLane {
            isMainOver = true
        } else {
            lanes[lane] = nil
            records += exchange.recorder.closed
        }
    }

    // MARK: - Steps

    /// When `step` must be called again though nothing has happened; nil when there is no such
    /// time.
    var nextCheck: MonotonicTime? { isOver ? nil : machine.nextCheck }

    /// The next step.
    ///
    /// - Parameters:
    ///   - places: The connections that the attempt may have at each source's server, its running
    ///     ones included.
    ///   - now: The current time.
    /// - Returns: The step; nil when there is none now.
    func step(within places: [Int], at now: MonotonicTime) -> SegmentMachine.Step? {
        wantsTurn = false
        guard !isOver else { return nil }
        for source in requests.indices { machine.permit(places[source], at: source, now) }
        let turns = main.context.sessions[main.request.session].requests
        if let turns, turns.hasTimetable { turns.read(minuteOfDay: LocalTime.minuteOfDay, now) }
        let step = machine.step(at: now) { turns.map { $0.take(now) == .taken } ?? true }
        if case .request? = step { main.policies.part.willRequestSegment() }
        if isMainOver, lanes.isEmpty {
            // Without a step the runner waits for a turn, and the servers are not silent.
            if step == nil { main.watch.pause(at: now) } else { main.watch.resume(at: now) }
        }
        return step
    }

    /// The number of the attempt's own request.
    func isMain(_ lane: Int) -> Bool { lane == mainLane }

    /// The attempt's request for a segment, and its role; the caller chooses the key.
    func attempt(for range: Range<Int64>, from source: Int) -> (AttemptRequest, SegmentRequest) {
        let segment = SegmentRequest(range: range, total: total, validator: validators[source])
        var request = requests[source]
        request.headers += segment.fields
        var attempt = AttemptRequest(
            key: 0,
            session: main.request.session,
            number: main.request.number,
            request: request,
            redirects: main.request.redirects,
            timeoutInterval: main.request.timeoutInterval,
            deadline: main.request.deadline,
            reason: .segment
        )
        attempt.resending = main.request.resending
        attempt.isDownload = true
        attempt.access = main.request.access
        attempt.purpose = .segment
        return (attempt, segment)
    }

    /// Notes the exchange of a request that begins.
    func didStart(_ lane: Int, _ exchange: Exchange) { lanes[lane] = exchange }

    /// Notes that a request could not begin.
    func didNotStart(_ lane: Int, at now: MonotonicTime) {
        machine.didEnd(lane, at: now)
        wantsTurn = true
    }

    /// Ends a running request whose bytes are no longer wanted; returns its exchange, whose handle
    /// is free.
    func cancel(_ lane: Int) -> Exchange? {
        let exchange = lane == mainLane ? (isMainOver ? nil : main) : lanes[lane]
        guard let exchange else { return nil }
        exchange.session.multi.remove(exchange.handle)
        exchange.noteSent()
        exchange.recorder.end(isComplete: false, protocolName: exchange.handle.networkProtocolName)
        didEnd(lane, exchange)
        return exchange
    }

    // MARK: - Ends

    /// Ends the download: the attempt fails, or all bytes have arrived.
    ///
    /// - Parameter outcome: The machine's; nil when the attempt is ended from outside.
    func end(_ outcome: SegmentMachine.Outcome?) {
        guard !isOver else { return }
        leftover = lanes.keys.sorted().compactMap(cancel)
        isOver = true
        wantsTurn = false
        main.recorder.adopt(records)
        switch outcome {
        case .complete:
            main.outcome.forgetFailure()
            output.join(upTo: total)
            main.response.isWhole = true
        case .incomplete:
            main.fail(failure ?? ExchangeStage.truncated(described))
        case nil: break
        }
        do throws(SystemError) {
            if let partial = main.policies.part.resumption?.partial, outcome != .complete,
                !machine.isClosed(0)
            {
                // The next attempt fetches the gaps alone.
                partial.setLoose(looseRanges)
            } else {
                if let partial = main.policies.part.resumption?.partial {
                    partial.setLoose(looseRanges)
                    try partial.dropLoose()
                }
                try output.dropLoose()
            }
        } catch {
            if !main.hasFailed { main.fail(TransferFailure(error, phase: .receive)) }
        }
    }

    /// Takes the exchanges of requests that the end of the download has ended.
    func takeLeftover() -> [Exchange] {
        defer { leftover = [] }
        return leftover
    }

    /// Makes the machine look whether fewer connections are free now.
    func wake() { wantsTurn = true }

    private var described: String {
        "the server sent \(machine.received.count) of \(total) bytes"
    }
}

/// The downloads of an engine thread that have several connections each.
struct SegmentedDownloads {
    private var downloads: [SegmentedDownload] = []
    private var keyCount = 0

    /// When a download must get a turn though nothing happens; `max` for never.
    var nextTime: MonotonicTime {
        downloads.lazy.compactMap(\.nextCheck).min() ?? MonotonicTime(nanoseconds: .max)
    }

    /// Whether a download must get a turn at once.
    var isDue: Bool { downloads.contains { $0.wantsTurn } }

    /// Adds downloads that have begun.
    mutating func add(_ begun: [SegmentedDownload]) {
        if !begun.isEmpty { downloads += begun }
    }

    /// A key for an attempt's request of a part: none of a task, and none of a refresh, whose keys
    /// count down from -1.
    mutating func takeKey() -> Int {
        keyCount += 1
        return Int.min + keyCount
    }

    /// The downloads whose turn has come.
    mutating func takeDue(at now: MonotonicTime) -> [SegmentedDownload] {
        guard !downloads.isEmpty else { return [] }
        downloads.removeAll { $0.isOver }
        return downloads.filter { $0.wantsTurn || $0.nextCheck.map { now >= $0 } ?? false }
    }

    /// Lets the downloads look for free connections, because another attempt has begun.
    func wake() { for download in downloads { download.wake() } }

    /// Whether there is none.
    var isEmpty: Bool { downloads.isEmpty }
}
