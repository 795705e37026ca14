internal import CurlKit
internal import SystemKit
internal import TransferModel

/// A request body of bytes and whole files, one behind the other.
///
/// One file is open at a time: the first from the beginning, so that a body of a single file opens
/// it once.
final class SegmentedBody: RequestBody {
    enum Segment {
        case bytes([UInt8])
        /// An absolute path.
        case file(path: String)
    }

    /// A segment and how much of it was announced.
    private struct Source {
        var segment: Segment
        var size: Int64
        /// What a file was in the beginning.
        var identity: InputFile.Identity?
    }

    /// How much of a file tells it from one that has the same size and times, bytes.
    private static let identifyingCount = 64 << 10

    private let sources: [Source]
    /// The length of all of them.
    let total: Int64
    /// What of it the running request carries.
    private var range: Range<Int64>
    /// How much of that was not read yet.
    private var rest: Int64
    /// The source that is read next, and where in it.
    private var place = 0
    private var offset: Int64 = 0
    /// The file that is open, and the place that it belongs to.
    private var open: (file: InputFile, place: Int)?

    /// Looks at every file.
    ///
    /// - Parameters:
    ///   - segments: What is sent.
    ///   - files: What the files must be, in their order; none for whatever they are.
    /// - Throws: What opening one of them says; `EPERM` for one that is not what it must be.
    init(_ segments: [Segment], files: [InputFile.Identity] = []) throws(SystemError) {
        var sources: [Source] = []
        var expected = files[...]
        var total: Int64 = 0
        for segment in segments {
            var source = Source(segment: segment, size: 0)
            switch segment {
            case .bytes(let bytes):
                source.size = Int64(bytes.count)
            case .file(let path):
                let file = try InputFile(path: path)
                if let identity = expected.popFirst(), identity != file.identity {
                    throw .notPermitted(
                        "send",
                        path,
                        reason:
                            "it has changed since its idempotency key was made; run the job again"
                    )
                }
                source.size = file.identity.size
                source.identity = file.identity
                if open == nil { open = (file, sources.count) }
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
            // No more than was announced: what a growing file has in excess would read as another
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

    /// From now on only that part of the whole is carried.
    func restrict(to range: Range<Int64>) {
        self.range = range.clamped(to: 0..<total)
        rewind()
    }

    /// Adds what tells this body from others: its bytes, and of its files what they were when they
    /// were looked at.
    ///
    /// - Throws: What reading says.
    func identify(to digest: MessageDigest, withTimes: Bool) throws(SystemError) {
        for (place, source) in sources.enumerated() {
            switch source.segment {
            case .bytes(let bytes):
                digest.update(Array("\(bytes.count) ".utf8).span)
                digest.update(bytes.span)
            case .file(let path):
                guard let identity = source.identity else { continue }
                let times = "\(identity.modificationNanoseconds) \(identity.inode) "
                let text = "\(identity.size) \(withTimes ? times : "")"
                digest.update(Array(text.utf8).span)
                let beginning = try file(path, at: place).readPrefix(
                    limit: Self.identifyingCount
                )
                digest.update(beginning.span)
            }
        }
    }

    /// The file at a place: that which is open, or another look at it.
    private func file(_ path: String, at place: Int) throws(SystemError) -> InputFile {
        if let open, open.place == place { return open.file }
        return try InputFile(path: path)
    }

    func verify() throws(TransferFailure) {
        try verifyOpen()
        // Nothing was read from files that were empty: none of them has been looked at since.
        for (place, source) in sources.enumerated() where source.size == 0 && place != open?.place {
            guard case .file(let path) = source.segment else { continue }
            _ = try openAgain(path, of: source)
        }
    }

    private func verifyOpen() throws(TransferFailure) {
        guard let open, !open.file.isUnchanged, case .file(let path) = sources[open.place].segment
        else { return }
        throw Self.changed(path)
    }

    /// At least one byte of the present source.
    private func readSource(into piece: inout MutableRawSpan) throws(TransferFailure) -> Int {
        switch sources[place].segment {
        case .bytes(let bytes):
            return piece.update(from: bytes.span.extracting(droppingFirst: Int(offset)))
        case .file(let path):
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

    /// The present source's file, which must still be the one that was looked at.
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
