internal import TransferModel

/// Decides how far an attempt resumes a partial download, and which part it leaves.
///
/// A class, because only attempts for larger files have one.
final class Resumption {
    /// Whether later runs find the part.
    enum Keeping {
        case never
        /// The part is named at that time. Next: `kept`.
        case due(MonotonicTime)
        /// The part has its name; its length is noted at the first time, and from the second time
        /// on also synced. Next: `kept`.
        case kept(note: MonotonicTime, sync: MonotonicTime)
    }

    /// Work on the part for later runs.
    enum Step {
        /// The part is named, so that later runs find it.
        case keep(PartialDownload)
        /// The part's length is noted, and synced if settled.
        case note(PartialDownload, isSettled: Bool)
    }

    /// Whether the file has a checksum, which shows whether a part fits, whatever its source.
    private let hasChecksum: Bool
    private(set) var keeping = Keeping.never
    /// The last noted size of the part, and when it was submitted.
    private var noted = (size: Int64(0), time: MonotonicTime(nanoseconds: 0))
    /// The range that the running exchange requests; nil when it requests the whole file.
    private(set) var offer: ResumeOffer?
    /// The part: left by an earlier attempt, or growing now.
    private(set) var partial: PartialDownload?
    /// The offset at which the body of the response begins, 0 for a whole one, and the offset where
    /// it must end.
    private(set) var start: Int64 = 0
    private var end: Int64 = .max
    /// The request that follows, because the response to the offer cannot be used; nil for none.
    private(set) var repetition: Repetition?

    /// The part of the file that a repeated request asks for.
    enum Repetition {
        case wholeFile
        /// By the fields of the new offer.
        case rest
    }

    /// `offer` is nil to request everything; later runs find the part from `keepTime` on.
    init(
        _ partial: PartialDownload?,
        _ offer: ResumeOffer? = nil,
        hasChecksum: Bool,
        keepTime: MonotonicTime?
    ) {
        self.partial = partial
        self.offer = offer
        self.hasChecksum = hasChecksum
        guard let keepTime else { return }
        keeping = .due(keepTime)
        if let partial, partial.isKept {
            didKeep(vouched: partial.receivedCount, at: keepTime, syncIn: PartialKeeper.interval)
        }
    }

    /// Whether a response could be resumed after a cut.
    static func isPossible(for head: ResponseHead, contentLength: Int64?) -> Bool {
        head.statusCode == 200 && contentLength != nil && !head.hasContentCoding
            && head.fields["accept-ranges"]?.lowercased() != "none"
    }

    /// Judges the response to a request for the rest; without use, the whole file is requested.
    ///
    /// Validators distinguish versions of one URL, not of two URLs (RFC 9110 §8.8.3); a redirect
    /// may lead to another URL now. A part may lack the media type that the task expects.
    func judge(
        _ head: ResponseHead,
        contentLength: Int64?,
        from url: TransferURL,
        needsMIMEType: Bool
    ) -> Bool {
        guard let offer else { return true }
        repetition = nil
        switch ResumeAnswer.judge(head, contentLength: contentLength, to: offer) {
        case .rest(let end):
            guard !needsMIMEType || head.mimeType != nil, mayContinue(from: url) else { break }
            start = offer.offset
            self.end = end
            return true
        case .whole:
            guard mayContinue(from: url),
                let next = offer.withoutIfRange(
                    after: head,
                    contentLength: contentLength,
                    hasChecksum: hasChecksum
                )
            else { return true }
            self.offer = next
            repetition = .rest
            return false
        case .unrelated: return true
        case .unusable: break
        }
        repetition = .wholeFile
        return false
    }

    /// Requests the whole file, because the server or its response does not provide the rest.
    func wantWholeFile() { repetition = .wholeFile }

    /// Whether a URL may have the rest of the part.
    private func mayContinue(from url: TransferURL) -> Bool {
        hasChecksum || partial.map { $0.isFrom(url.resource(under: $0.validator)) } == true
    }

    /// Whether a look at the part may be due.
    func mayStep(at now: MonotonicTime) -> Bool {
        switch keeping {
        case .never: false
        case .due(let time), .kept(let time, _): now >= time
        }
    }

    /// Schedules the naming of the part of a small body.
    func keep(from time: MonotonicTime) { keeping = .due(time) }

    /// Whether the response is the rest of the file.
    var isRest: Bool { start > 0 }

    /// The offset at which the attempt resumed the body; nil for a whole body.
    var resumedFrom: Int64? { isRest ? start : nil }

    /// When work on the part is due even if no bytes arrive; nil for none.
    var nextTime: MonotonicTime? {
        switch keeping {
        case .never: nil
        case .due(let time): partial.map { $0.size > 0 ? time : nil } ?? nil
        case .kept(let time, _): partial.map { $0.receivedCount > noted.size ? time : nil } ?? nil
        }
    }

    /// Notes that the part has its name, and that `size` bytes of it are or will be vouched for.
    private func didKeep(vouched size: Int64, at now: MonotonicTime, syncIn wait: Duration) {
        noted = (size, now)
        keeping = .kept(note: now + Self.shortestInterval, sync: now + wait)
    }

    /// Decides whether to note the part now.
    ///
    /// After a kill of the process, bytes without a note are fetched again: at most those of the
    /// last tenth of the attempt's time, or of the last second. For a fast transfer only synced
    /// bytes are noted, so that hashing does not slow it down.
    ///
    /// - Parameters:
    ///   - age: The duration of the attempt so far.
    ///   - now: The current time.
    /// - Returns: Whether to sync the part too; nil when no note is due.
    private func takeNote(age: Duration, at now: MonotonicTime) -> Bool? {
        guard case .kept(let note, let sync) = keeping, now >= note, let partial,
            case let received = partial.receivedCount, case let count = received - noted.size,
            count > 0
        else { return nil }
        let next = now + min(max(age / 10, Self.shortestInterval), Self.longestInterval)
        guard now < sync else {
            noted = (received, now)
            keeping = .kept(note: next, sync: now + PartialKeeper.interval)
            return true
        }
        keeping = .kept(note: next, sync: sync)
        let affordable = (now - noted.time).nanoseconds / 1000 * Self.bytesPerMicrosecond
        guard count <= max(Self.leastAffordable, affordable) else { return nil }
        noted = (received, now)
        return false
    }

    /// The shortest and the longest time between notes of a part.
    private static let shortestInterval = Duration.milliseconds(20)
    private static let longestInterval = Duration.seconds(1)
    /// The limits for hashing: this many bytes at once, and for a fast transfer at most this many
    /// per microsecond.
    private static let leastAffordable: Int64 = 1 << 20
    private static let bytesPerMicrosecond: Int64 = 80

    /// The work on the part that is due now.
    func step(at now: MonotonicTime, age: Duration) -> Step? {
        guard let partial else { return nil }
        switch keeping {
        case .never: return nil
        case .due(let time):
            guard now >= time, partial.size > 0 else { return nil }
            didKeep(vouched: 0, at: now, syncIn: PartialKeeper.firstInterval)
            return .keep(partial)
        case .kept:
            return takeNote(age: age, at: now).map { .note(partial, isSettled: $0) }
        }
    }

    /// The work on the part of a failed attempt: later runs may find nothing else.
    var lastSteps: [Step] {
        guard let partial, partial.size > 0 else { return [] }
        switch keeping {
        case .never: return []
        case .due where partial.size <= ResponseSink.memoryLimit: return []
        case .due: return [.keep(partial), .note(partial, isSettled: true)]
        case .kept: return [.note(partial, isSettled: true)]
        }
    }

    /// Drops the part of a failed attempt if it is useless now.
    ///
    /// A mirror may still have the file after the server lost it; the checksum shows that it is the
    /// same.
    func end(after failure: TransferFailure, at url: String, hasMirror: Bool) {
        guard let partial else { return }
        let isGone = failure.kind == .httpStatus && hasMirror && hasChecksum
        // The publication finds the fault of a complete file.
        guard partial.isSpoilt || failure.endsResuming && partial.isOf(url) && !isGone else {
            return
        }
        partial.discard()
        self.partial = nil
    }

    /// The part that the attempt leaves for the next one or for the publication.
    var outcome: ResumeOutcome? {
        ResumeOutcome(
            partial: partial.flatMap { $0.size == 0 ? nil : $0 },
            resumedFrom: resumedFrom
        )
    }

    // MARK: - Failures

    /// The failure of a response with that many body bytes; nil within the announced range.
    ///
    /// Bytes beyond the range have an unknown origin, so that the part is dropped.
    func excess(_ count: Int64) -> TransferFailure? {
        guard isRest, count > end - start else { return nil }
        startOver()
        return ExchangeStage.badResponse("the server sent more than the range that it announced")
    }

    /// The failure of a complete response that leaves the file incomplete.
    var shortage: TransferFailure? {
        guard isRest, let partial, partial.size < partial.total else { return nil }
        return ExchangeStage.truncated("the server sent \(partial.size) of \(partial.total) bytes")
    }

    /// Drops the part, so that the whole file is requested.
    func startOver() {
        partial?.discard()
        partial = nil
        offer = nil
        keeping = .never
        repetition = nil
        start = 0
        end = .max
    }
}
