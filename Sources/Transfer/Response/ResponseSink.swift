internal import SystemKit
internal import TransferModel

/// The destination of an arriving response body.
///
/// A small body stays in memory until the publisher writes it, which keeps the engine thread on the
/// network; a larger one is written to an unnamed file at once.
struct ResponseSink {
    /// Bodies up to this size are passed on in memory.
    static let memoryLimit = 64 << 10
    /// How much of an unwanted body is kept for the message, and how much is read before the
    /// connection is closed.
    private static let excerptLimit = 1 << 10
    private static let unwantedLimit = 64 << 10

    /// The received bytes.
    enum Content: Sendable {
        case memory([UInt8])
        case file(OutputFile, Folder)
    }

    private enum Mode {
        case count
        case excerpt
        case destination(TaskSpec.Destination)
        /// In memory, whatever the size.
        case keep
    }

    private var mode = Mode.count
    private var count = 0
    private(set) var content = Content.memory([])
    /// The largest body that is passed on in memory, bytes.
    private var memoryLimit = Self.memoryLimit
    /// The size that the body must exceed to become its file, bytes; nil when every body does.
    private var sizeToExceed: Int64?

    /// Whether the body so far is too small for the file that it may become.
    var isBelowFileSize: Bool { sizeToExceed.map { count <= $0 } ?? false }

    /// Whether nothing was received.
    var isEmpty: Bool { count == 0 }

    /// Discards the body.
    mutating func discard() {
        self = ResponseSink()
    }

    /// Keeps the first bytes of an unwanted body.
    mutating func keepExcerpt() {
        self = ResponseSink()
        mode = .excerpt
    }

    /// Keeps the whole body in memory; another check limits its size.
    mutating func keep() {
        self = ResponseSink()
        mode = .keep
    }

    /// Keeps the body for a file.
    ///
    /// - Parameters:
    ///   - destination: The future file.
    ///   - expectedCount: The announced length; a disk without room for it fails at once.
    /// - Throws: The file system's error.
    mutating func open(
        _ destination: TaskSpec.Destination,
        expectedCount: Int64?
    ) throws(SystemError) {
        self = ResponseSink()
        if let size = destination.sizeToExceed {
            sizeToExceed = size
            if let expectedCount, expectedCount <= size { return }
            if expectedCount == nil { memoryLimit = max(memoryLimit, Int(clamping: size)) }
        }
        mode = .destination(destination)
        guard let expectedCount else { return }
        if expectedCount > Self.memoryLimit {
            let folder = try startFile(destination)
            if let available = folder.availableBytes, available < expectedCount {
                throw SystemError.diskFull(destination.displayPath)
            }
        } else if expectedCount > 0 {
            content = .memory([])
            reserve(Int(expectedCount))
        }
    }

    /// Appends the body to an existing file.
    ///
    /// - Parameters:
    ///   - file: The file to append to.
    ///   - folder: The file's folder.
    ///   - destination: The future file.
    ///   - expectedCount: The announced length of the missing part.
    /// - Throws: The file system's error.
    mutating func goOn(
        with file: OutputFile,
        in folder: Folder,
        as destination: TaskSpec.Destination,
        _ expectedCount: Int64?
    ) throws(SystemError) {
        self = ResponseSink()
        mode = .destination(destination)
        content = .file(file, folder)
        if let available = folder.availableBytes, available < expectedCount ?? 0 {
            throw SystemError.diskFull(destination.displayPath)
        }
    }

    /// Moves a nonempty body from memory into a file, so that it can be kept.
    mutating func spill() throws(SystemError) {
        guard case .destination(let destination) = mode, case .memory(let bytes) = content,
            !bytes.isEmpty
        else { return }
        try startFile(destination)
    }

    /// Takes all or none of a piece; false when no more of the body is wanted.
    mutating func write(_ bytes: Span<UInt8>) throws(SystemError) -> Bool {
        count += bytes.count
        do throws(SystemError) {
            return try take(bytes)
        } catch {
            count -= bytes.count
            throw error
        }
    }

    private mutating func take(_ bytes: Span<UInt8>) throws(SystemError) -> Bool {
        switch mode {
        case .count:
            return true
        case .keep:
            append(bytes)
            return true
        case .excerpt:
            append(bytes.extracting(first: max(0, Self.excerptLimit - count + bytes.count)))
            return count <= Self.unwantedLimit
        case .destination(let destination):
            if case .file(let file, _) = content {
                try file.write(bytes)
            } else if count <= memoryLimit {
                append(bytes)
            } else {
                try startFile(destination)
                guard case .file(let file, _) = content else { return false }
                try file.write(bytes)
            }
            return true
        }
    }

    /// The beginning of an unwanted body.
    var excerpt: [UInt8] {
        guard case .excerpt = mode, case .memory(let bytes) = content else { return [] }
        return bytes
    }

    /// Whether the unwanted body may be longer.
    var isExcerptCut: Bool { excerpt.count >= Self.excerptLimit }

    private mutating func reserve(_ capacity: Int) {
        guard case .memory(var bytes) = content else { return }
        content = .memory([])
        bytes.reserveCapacity(capacity)
        content = .memory(bytes)
    }

    private mutating func append(_ bytes: Span<UInt8>) {
        guard case .memory(var kept) = content else { return }
        content = .memory([])
        kept.append(bytes)
        content = .memory(kept)
    }

    /// Moves the bytes in memory into a file in the destination's folder.
    @discardableResult
    private mutating func startFile(
        _ destination: TaskSpec.Destination
    ) throws(SystemError) -> Folder {
        let (folderPath, name) = destination.split
        let folder = try Folder(path: folderPath, create: true)
        // Check now, not at the end of a long transfer.
        try folder.requireReplaceable(name)
        let file = try OutputFile(in: folder, name: name)
        if case .memory(let bytes) = content, !bytes.isEmpty { try file.write(bytes.span) }
        content = .file(file, folder)
        return folder
    }
}

extension TaskSpec.Destination {
    /// The file's folder and its name there.
    var split: (folder: String, name: String) { (folder, name) }

    /// The file's folder.
    var folder: String {
        let start = nameStart
        if start <= 1 { return start == 0 ? "." : "/" }
        return String(path[..<path.utf8.index(path.startIndex, offsetBy: start - 1)])
    }

    /// The file's name.
    var name: String {
        String(path[path.utf8.index(path.startIndex, offsetBy: nameStart)...])
    }

    /// Whether the file is in a folder, by the spelling of the path.
    func isIn(_ folder: String) -> Bool {
        let start = nameStart
        return start > 1
            && path.utf8.span.extracting(first: start - 1).equals(folder.utf8.span)
    }

    /// The start of the name in the path, in UTF-8.
    private var nameStart: Int {
        let bytes = path.utf8.span
        var start = bytes.count
        while start > 0, bytes[start - 1] != UInt8(ascii: "/") { start -= 1 }
        return start
    }
}
