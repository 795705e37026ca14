internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The body of an attempt's request: its reader, and whether the hop's request carries it.
struct OutgoingBody {
    /// nil for a body that is in memory, and before it is opened.
    private(set) var reader: (any RequestBody)?
    /// Whether the hop's request carries the body.
    private(set) var isCarried: Bool
    /// The boundary of a `multipart` body.
    private(set) var boundary: String?
    /// Reads the body for its digests, before the first request; nil for other requests.
    var hashing: BodyHashing?

    init(of request: borrowing AttemptRequest) { isCarried = request.body != nil }

    /// Whether there was nothing to send at the last read.
    var isWaiting: Bool { reader?.isWaiting == true }
    /// Whether the hop's request carries a body of unknown length.
    var isStream: Bool { isCarried && reader.map { $0.size == nil } ?? false }

    /// The length of the whole body, bytes; nil when unknown, or without a body.
    func size(of content: BodySource?) -> Int64? {
        content?.bytesInMemory.map { Int64($0.count) } ?? reader?.size
    }

    /// The form of a `multipart` body; nil for another one.
    static func form(for request: borrowing AttemptRequest) -> MultipartForm? {
        guard case .multipart? = request.body else { return nil }
        return request.upload?.partial?.boundary.map(MultipartForm.init(boundary:))
            ?? MultipartForm(for: request.request.headers)
    }

    /// Opens a body that is not in memory.
    mutating func open(
        for request: borrowing AttemptRequest,
        as form: MultipartForm?,
        _ sockets: SocketTable,
        _ errors: ErrorRelay
    ) throws(SystemError) {
        let key = request.key
        boundary = form?.boundary
        func stream(_ source: StreamBody.Source) throws(SystemError) -> StreamBody {
            try StreamBody(source, sockets: sockets, errors: errors, key: key)
        }
        switch request.body {
        case .file(let path, let root):
            let content = [SegmentedBody.Segment.file(path: path, within: root)]
            reader = try SegmentedBody(content, files: request.bodyFiles)
        case .multipart(let parts):
            let segments = form?.segments(of: parts) ?? []
            reader = try SegmentedBody(segments, files: request.bodyFiles)
        case .command(let arguments, let folder):
            reader = try stream(.command(arguments, folder: folder))
        case .pipe(let path): reader = try stream(.pipe(path: path))
        case .bytes, .compressed, nil: break
        }
    }

    /// Gives a body that is in memory to the same reader as others.
    mutating func openMemory(_ content: BodySource?) throws(SystemError) {
        guard isCarried, reader == nil, let bytes = content?.bytesInMemory else { return }
        reader = try SegmentedBody([.bytes(bytes)])
    }

    /// Begins to read the body for the digests in fields, if they have any.
    mutating func beginHashing(
        for fields: [HeaderField],
        _ content: BodySource?
    ) throws(TransferFailure) {
        let forms = fields.flatMap(\.bodyDigests).map(\.form)
        guard !forms.isEmpty else { return }
        let body = content?.bytesInMemory.map { SegmentedBody($0) } ?? reader as? SegmentedBody
        if let body { hashing = try BodyHashing(of: body, for: forms) }
    }

    /// Begins the body anew for another request that carries it.
    func rewind() throws(TransferFailure) {
        if isCarried { try reader?.rewind() }
    }

    /// Decides whether the next hop's request carries the body.
    mutating func carry(_ isCarried: Bool) { self.isCarried = isCarried }

    /// Decides which part of the body the next leg of an upload carries; nil for none.
    mutating func carry(_ part: Range<Int64>?) {
        isCarried = part != nil
        if let part { (reader as? SegmentedBody)?.restrict(to: part) }
    }
}
