internal import CurlKit
internal import SystemKit
internal import TransferModel

/// A request body of bytes and whole files in sequence.
///
/// One file is open at a time, starting with the first, so that a body of a single file opens it
/// once.
final class SegmentedBody: RequestBody {
    enum Segment {
        case bytes([UInt8])
        /// An absolute path, and the folder that its links may not lead out of; nil for any file.
        case file(path: String, within: String? = nil)
    }

    /// A segment and its announced size.
    private struct Source {
        var segment: Segment
        var size: Int64
        /// The file's state at the start.
        var identity: InputFile.Identity?
    }

    /// The bytes that distinguish a file from another one with the same size and times.
    private static let identifyingCount = 64 << 10

    private let sources: [Source]
    /// The total length.
    let total: Int64
    /// The part for the current request.
    private var range: Range<Int64>
    /// The unread bytes of that part.
    private var rest: Int64
    /// The source to read next, and the offset in it.
    private var place = 0
    private var offset: Int64 = 0
    /// The open file and the index of its source.
    private var open: (file: InputFile, place: Int)?

    /// A body that is in memory.
    init(_ bytes: [UInt8]) {
        total = Int64(bytes.count)
        sources = [Source(segment: .bytes(bytes), size: total)]
        range = 0..<total
        rest = total
    }

    /// Examines every file.
    ///
    /// - Parameters:
    ///   - segments: The content.
    ///   - files: The expected states of the files, in order; empty for any state.
    /// - Throws: The error of opening a file; `EPERM` for a file in another state.
    init(_ segments: [Segment], files: [InputFile.Identity] = []) throws(SystemError) {
        var sources: [Source] = []
        var expected = files[...]
        var total: Int64 = 0
        for segment in segments {
            var source = Source(segment: segment, size: 0)
            switch segment {
            case .bytes(let bytes):
                source.size = Int64(bytes.count)
            case .file(let path, let root):
                let file = try InputFile(path: path, within: root)
                if let identity = expected.popFirst(), identity != file.identity {
                    throw .notPermitted(
                        "send",
                        path,
                        reason:
                            "the file has changed since its idempotency key was made; "
                            + "run the job again"
                    )
                }
                source.size = file.identity.size
                if let content = file.unsizedContent {
                    // The kernel may give other bytes at the next reading.
                    source.segment = .bytes(content)
                } else {
                    source.identity = file.identity
                    if open == nil { open = (file, sources.count) }
                }
            }
            let (sum, overflow) = total.addingReportingOverflow(source.size)
            total = overflow ? .max : sum
            sources.append(source)
        }
        self.sources = sources
        self.total = total
        range = 0..<total
        rest = total
    }

    var size: Int64? { range.upperBound - range.lowerBound }
    var isSpent: Bool { false }
    var silence: String? { nil }

    func read(into buffer: inout MutableRawSpan) throws(TransferFailure) -> BodyRead {
        var count = 0
        while count < buffer.byteCount, place < sources.count, rest > 0 {
            let left = sources[place].size - offset
            guard left > 0 else {
                place += 1
                offset = 0
                continue
            }
            // No more than announced: excess bytes of a growing file would be read as another
            // request.
            let end = count + min(Int(clamping: min(left, rest)), buffer.byteCount - count)
            var piece = buffer._mutatingExtracting(count..<end)
            let added = try readSource(into: &piece)
            count += added
            offset += Int64(added)
            rest -= Int64(added)
        }
        return .bytes(count)
    }

    func wake() {}

    func rewind() {
        place = 0
        offset = range.lowerBound
        rest = range.upperBound - range.lowerBound
        while place < sources.count - 1, offset >= sources[place].size {
            offset -= sources[place].size
            place += 1
        }
    }

    /// Restricts the body to a part from now on.
    func restrict(to range: Range<Int64>) {
        self.range = range.clamped(to: 0..<total)
        rewind()
    }

    /// Adds the body's identity to a digest: its bytes, and the state of its files at the start.
    ///
    /// - Throws: The error of reading.
    func identify(to digest: MessageDigest, withTimes: Bool) throws(SystemError) {
        for (place, source) in sources.enumerated() {
            switch source.segment {
            case .bytes(let bytes):
                digest.update(Array("\(bytes.count) ".utf8).span)
                digest.update(bytes.span)
            case .file(let path, _):
                guard let identity = source.identity else { continue }
                let times = "\(identity.modificationNanoseconds) \(identity.inode) "
                let text = "\(identity.size) \(withTimes ? times : "")"
                digest.update(Array(text.utf8).span)
                let beginning = try file(path, at: place).readPrefix(limit: Self.identifyingCount)
                digest.update(beginning.span)
            }
        }
    }

    /// The file of a source: the open one, or opened again.
    private func file(_ path: String, at place: Int) throws(SystemError) -> InputFile {
        if let open, open.place == place { return open.file }
        return try InputFile(path: path)
    }

    func verify() throws(TransferFailure) {
        try verifyOpen()
        // Empty files were not read, so they have not been checked since.
        for (place, source) in sources.enumerated() where source.size == 0 && place != open?.place {
            guard case .file(let path, _) = source.segment else { continue }
            _ = try openAgain(path, of: source)
        }
    }

    private func verifyOpen() throws(TransferFailure) {
        guard let open, !open.file.isUnchanged,
            case .file(let path, _) = sources[open.place].segment
        else { return }
        throw Self.changed(path)
    }

    /// Reads at least one byte of the current source.
    private func readSource(into piece: inout MutableRawSpan) throws(TransferFailure) -> Int {
        switch sources[place].segment {
        case .bytes(let bytes):
            return piece.update(from: bytes.span.extracting(droppingFirst: Int(offset)))
        case .file(let path, _):
            let file = try file(path)
            do throws(SystemError) {
                let count = try file.read(into: &piece, at: offset)
                if count > 0 { return count }
            } catch {
                throw TransferFailure(reading: error, phase: .send)
            }
            throw Self.changed(path)
        }
    }

    /// The current source's file, which must be in its original state.
    private func file(_ path: String) throws(TransferFailure) -> InputFile {
        if let open, open.place == place { return open.file }
        try verifyOpen()
        let file = try openAgain(path, of: sources[place])
        open = (file, place)
        return file
    }

    private func openAgain(_ path: String, of source: Source) throws(TransferFailure) -> InputFile {
        let file: InputFile
        do throws(SystemError) {
            file = try InputFile(path: path)
        } catch {
            throw TransferFailure(reading: error, phase: .send)
        }
        guard file.identity == source.identity else { throw Self.changed(path) }
        return file
    }

    private static func changed(_ path: String) -> TransferFailure {
        var failure = TransferFailure(
            kind: .localIO,
            phase: .send,
            detail: "the file `\(path)` changed while it was being sent"
        )
        failure.isPermanent = true
        return failure
    }
}
