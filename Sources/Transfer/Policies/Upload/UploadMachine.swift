internal import TransferModel

/// Decides the requests of one resumable upload (draft-ietf-httpbis-resumable-upload): a value
/// without I/O.
///
/// The first request brings the whole body. When it was cut and the server has given the upload a
/// URL, that is asked how much it has, each time before more is sent: some servers give an upload
/// up that is gone on with at another position.
struct UploadMachine: Equatable {
    /// The shortest part that a server is offered that finds longer ones too long, bytes: each part
    /// is a record of its own.
    static let shortestPart: Int64 = 64 << 10
    /// How much further an upload has to come, bytes, or a hundredth of it, so that it counts as
    /// progress.
    private static let leastProgress: Int64 = 1 << 20
    /// How many small steps there may be in a row: the first one, and each that does not bring it
    /// further, counts as eight.
    private static let mostSmallSteps = 16

    private(set) var leg: Leg
    /// Bytes of the whole body.
    let total: Int64
    private(set) var version: UploadVersion
    /// nil until the server has named it.
    private(set) var url: HTTPURL?
    /// How much the server has had at least.
    private(set) var confirmed: Int64 = 0
    /// Whether the last byte may have arrived.
    private(set) var mayBeComplete = false
    /// The status that has answered when all was sent; a 5xx is then not the lost answer's.
    private(set) var lateStatus: Int?
    /// The position up to which bytes may have left; the server has none beyond it.
    private(set) var farthest: Int64 = 0
    /// The most bytes that the server wants of one request, as it says; nil for any number.
    private var limit: Int64?
    /// The most that may do after it has found more too long, whatever it says; nil before that.
    private var ceiling: Int64?
    /// Whether the request may reach the server's application a second time.
    let isRepeatable: Bool
    /// What was left, if it is not gone on with but only asked about; its size.
    private var other: Other?
    /// Small steps since `progressMark`.
    private var smallSteps = 0
    /// What the server had when it had last come further.
    private var progressMark: Int64 = 0
    private var hasNegotiated = false
    private var hasRestarted = false

    /// Begins an upload.
    ///
    /// - Parameters:
    ///   - total: Bytes of the whole body.
    ///   - version: What the server is asked with.
    ///   - isRepeatable: Whether it may begin anew when its outcome is not known.
    init(total: Int64, version: UploadVersion, isRepeatable: Bool) {
        leg = .creation
        self.total = total
        self.version = version
        self.isRepeatable = isRepeatable
    }

    /// Goes on with what an earlier attempt has left, or gives it up.
    ///
    /// Of an order that may not be repeated the server is asked first: what has come to its end is
    /// not begun anew.
    ///
    /// - Parameters:
    ///   - partial: It.
    ///   - total: Bytes of the whole body now.
    ///   - match: What it has in common with what is wanted now.
    ///   - isRepeatable: Whether it may begin anew when its outcome is not known.
    init(resuming partial: PartialUpload, of total: Int64, match: Match, isRepeatable: Bool) {
        self.total = total
        version = partial.version
        url = partial.url
        self.isRepeatable = isRepeatable
        guard match == .upload else {
            if !isRepeatable { other = Other(match: match, total: partial.total) }
            leg = isRepeatable ? .cancellation(nil) : .offset
            return
        }
        leg = .offset
        confirmed = partial.confirmed
        progressMark = partial.confirmed
        mayBeComplete = partial.mayBeComplete
        farthest = partial.farthest
        lateStatus = partial.lateStatus
        ceiling = partial.longestPart
    }

    /// The most bytes that a request may bring; nil for any number.
    var longestPart: Int64? { [limit, ceiling].compactMap(\.self).min() }

    /// The fields that the running request has besides the task's own.
    var fields: [HeaderField] {
        switch leg {
        case .creation:
            UploadFields.sending(version, from: nil, isLast: true, total: total)
        case .append(let start, let end):
            UploadFields.sending(version, from: start, isLast: end == total, total: total)
        case .offset, .cancellation:
            [HeaderField(name: UploadFields.versionName, value: "\(version.rawValue)")]
        case .over: []
        }
    }

    /// Whether the running request ends with the last byte.
    var bringsEnd: Bool {
        switch leg {
        case .creation: true
        case .append(_, let end): end == total
        case .offset, .cancellation, .over: false
        }
    }

    // MARK: Events

    /// A 104 has come; true when it has given the upload its URL.
    mutating func didInform(_ head: HeaderFields, from request: HTTPURL) -> Bool {
        let fields = UploadFields(head)
        note(fields)
        if let offset = fields.offset, offset <= total, url != nil {
            confirmed = max(confirmed, offset)
        }
        guard leg == .creation, url == nil, fields.version.flatMap(UploadVersion.init) == version
        else { return false }
        url = Self.url(in: head, from: request)
        return url != nil
    }

    /// Bytes of the body may have left up to a position.
    mutating func didSend(upTo position: Int64) {
        farthest = max(farthest, min(position, total))
        if bringsEnd, position >= total { mayBeComplete = true }
    }

    /// The same request follows with something else in it, or to another URL: what came of it is
    /// void.
    mutating func willRepeat() {
        if leg == .creation { url = nil }
    }

    /// The rest of the attempt is not about the upload.
    mutating func leave() {
        leg = .over
        url = nil
    }

    /// Nothing came of giving the upload up, or all of it; what follows is the same.
    mutating func didCancel() -> Step {
        guard case .cancellation(let fault) = leg else { return .judge }
        url = nil
        if let fault {
            leg = .over
            return .fail(fault)
        }
        create()
        return .proceed
    }

    /// The head of a final response is there.
    ///
    /// - Parameters:
    ///   - head: It.
    ///   - request: The URL that it came from.
    ///   - isSent: Whether the whole request has left.
    /// - Returns: What follows; the leg is then that of the next request.
    mutating func didAnswer(_ head: ResponseHead, from request: HTTPURL, isSent: Bool) -> Step {
        let fields = UploadFields(head.fields)
        note(fields)
        switch leg {
        case .creation:
            return didCreate(head, fields, from: request, isSent: isSent)
        case .offset: return didTellOffset(head.statusCode, fields)
        case .append(let start, let end):
            return didAppend(head.statusCode, fields, start..<end, isSent: isSent)
        case .cancellation: return .proceed
        case .over: return .judge
        }
    }

    private mutating func didCreate(
        _ head: ResponseHead,
        _ fields: UploadFields,
        from request: HTTPURL,
        isSent: Bool
    ) -> Step {
        switch head.statusCode {
        case 200...299 where fields.isComplete == false:
            if url == nil, fields.version.flatMap(UploadVersion.init) == version {
                url = Self.url(in: head.fields, from: request)
            }
            guard url != nil else { return .fail(.noURL) }
            leg = .offset
            return .proceed
        case 400
        where url == nil && fields.version != nil && fields.version != "\(version.rawValue)":
            // It has refused the version, not the request.
            if !hasNegotiated, let other = fields.version.flatMap(UploadVersion.init) {
                hasNegotiated = true
                version = other
            } else {
                leg = .over
            }
            return .proceed
        case 413 where url != nil && shorten(total):
            leg = .offset
            return .proceed
        default:
            return end(head.statusCode, fields, isSent: isSent)
        }
    }

    private mutating func didTellOffset(_ status: Int, _ fields: UploadFields) -> Step {
        if let other, ![307, 308].contains(status) { return didTell(of: other, status, fields) }
        switch status {
        case 200...299: break
        case 307, 308: return .judge
        case 401, 408, 425, 429, 500...599: return .fail(.refused(status: status))
        // Some say that, too, when they know nothing of it any more.
        case 403 where !mayRestart: return .fail(.refused(status: status))
        case 400...499:
            guard mayRestart else {
                leave()
                return .fail(.forgotten(status: status))
            }
            hasRestarted = true
            create()
            return .proceed
        default: return .fail(.refused(status: status))
        }
        guard let offset = fields.offset ?? (fields.isComplete == true ? total : nil) else {
            leg = .cancellation(.noOffset)
            return .proceed
        }
        let isComplete = fields.isComplete == true
        guard offset >= confirmed, offset <= farthest, !isComplete || offset == total else {
            leg = .cancellation(.wrongOffset(offset))
            return .proceed
        }
        let isFurther = offset > confirmed
        confirmed = offset
        if isComplete {
            leave()
            return .answerLost
        }
        if offset < total {
            // What was answered then was not about all of it.
            mayBeComplete = false
            lateStatus = nil
        }
        let enough = min(longestPart ?? total, Self.leastProgress, max(1, total / 100))
        if offset - progressMark >= enough { (progressMark, smallSteps) = (offset, 0) }
        guard smallSteps < Self.mostSmallSteps else {
            leg = .cancellation(.noProgress)
            return .proceed
        }
        smallSteps += isFurther && offset != progressMark ? 1 : 8
        leg = .append(from: offset, to: min(total, offset + min(longestPart ?? total, total)))
        return .proceed
    }

    /// Decides on an upload that is not gone on with: without its last byte it is none, and is
    /// given up.
    private mutating func didTell(
        of other: Other,
        _ status: Int,
        _ fields: UploadFields
    ) -> Step {
        let isTold = (200...299).contains(status)
        if isTold, fields.isComplete != true, let offset = fields.offset, offset < other.total {
            self.other = nil
            leg = .cancellation(nil)
            return .proceed
        }
        let isForgotten =
            (400...499).contains(status) && ![401, 403].contains(status) && !Self.mayPass(status)
        guard other.match == .order else {
            guard isTold && (fields.isComplete == true || fields.offset != nil) || isForgotten
            else {
                leave()
                return .sendPlainly
            }
            // There is no more to be learnt of the other one.
            self.other = nil
            create()
            return .proceed
        }
        guard isTold || isForgotten else { return .fail(.refused(status: status)) }
        leave()
        return .fail(isTold ? .hasOther : .forgotten(status: status))
    }

    /// Whether the body may be sent from its first byte.
    private var mayRestart: Bool { (isRepeatable || !mayBeComplete) && !hasRestarted }

    private mutating func didAppend(
        _ status: Int,
        _ fields: UploadFields,
        _ part: Range<Int64>,
        isSent: Bool
    ) -> Step {
        let isLast = part.upperBound == total
        switch status {
        case 200...299 where fields.isComplete ?? isLast:
            // The offset of the third version's answer is that of the end (draft 01 §5).
            let offset = version == .v3 ? fields.offset ?? total : total
            guard isLast, offset == total else {
                leg = .cancellation(.wrongOffset(offset))
                return .proceed
            }
            return end(status, fields, isSent: isSent)
        case 200...299, 409: break
        case 413 where shorten(Int64(part.count)): break
        default: return end(status, fields, isSent: isSent)
        }
        leg = .offset
        return .proceed
    }

    /// A response that is judged: what is the answer ends the upload, what may pass leaves it as it
    /// is.
    private mutating func end(_ status: Int, _ fields: UploadFields, isSent: Bool) -> Step {
        let isPassing = Self.mayPass(status) && fields.isComplete != true
        guard isPassing || (300...399).contains(status) else {
            // A success whose body is still on its way may be lost yet.
            if status >= 400 { leave() }
            return .judge
        }
        if isPassing, isSent, bringsEnd { lateStatus = status }
        return .judge
    }

    /// Whether another attempt may meet another answer.
    static func mayPass(_ status: Int) -> Bool {
        switch status {
        case 408, 425, 429, 500, 502, 503, 504, 522, 524: true
        default: false
        }
    }

    // MARK: Parts

    private mutating func create() {
        leg = .creation
        url = nil
        confirmed = 0
        mayBeComplete = false
        lateStatus = nil
        farthest = 0
        (progressMark, smallSteps) = (0, 0)
    }

    private mutating func note(_ fields: UploadFields) {
        if let size = fields.maximumAppendSize { limit = max(size, Self.shortestPart) }
    }

    /// Whether parts shorter than one that was too long may do: as long as the server says, else
    /// half of it.
    private mutating func shorten(_ length: Int64) -> Bool {
        guard length > Self.shortestPart else { return false }
        let told = limit.flatMap { $0 < length ? $0 : nil }
        let next = told ?? max(Self.shortestPart, length / 2)
        ceiling = next
        // A limit that falls by a byte each time is no step.
        if next <= length / 2 { smallSteps = 0 }
        return true
    }

    /// Where a response says that the upload is; only where the request went, too: nobody else gets
    /// its body.
    private static func url(in head: HeaderFields, from request: HTTPURL) -> HTTPURL? {
        let locations = Set(head.values(of: "location"))
        guard locations.count == 1, let location = locations.first,
            let url = request.resolving(location), url.origin == request.origin,
            !url.hasUserInformation
        else { return nil }
        return url
    }
}
