internal import JSON
internal import RegexKit
internal import SystemKit
internal import TransferModel

/// Bytes that have arrived, and the result of the `read` step that takes them.
struct StreamInbox {
    /// How far a step has come.
    enum Progress: Equatable {
        case needsMore
        /// The bytes of the step, none for one that writes a file, and their number.
        case done([UInt8], count: Int64)
    }

    /// Arrived bytes that no step has taken, from `start` on.
    private var bytes: [UInt8] = []
    private var start = 0
    /// How many of them the running step has searched for its end.
    private var searchedCount = 0
    /// The bytes of the running step, unless they are for a file.
    private var result: [UInt8] = []
    /// The bytes for the file that were not written yet.
    private(set) var fileBytes: [UInt8] = []
    /// The bytes that the running step has taken.
    private(set) var takenCount: Int64 = 0

    /// The pattern of the running step, compiled once.
    private var linePattern: StreamPattern?

    /// The bytes that no step has taken.
    var count: Int { bytes.count - start }

    mutating func append(_ more: Span<UInt8>) {
        if start > 0, start * 2 >= bytes.count {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(more)
    }

    /// Drops the bytes that no step has taken.
    mutating func clear() {
        bytes = []
        (start, searchedCount) = (0, 0)
    }

    mutating func takeFileBytes() -> [UInt8] {
        defer { fileBytes = [] }
        return fileBytes
    }

    /// Takes bytes for a step.
    ///
    /// - Parameters:
    ///   - reading: The step, the same one until it is done.
    ///   - hasEnded: Whether no more bytes will arrive.
    /// - Returns: Whether the step has all its bytes.
    /// - Throws: The failure of bytes that exceed the step's limits.
    mutating func take(
        _ reading: StreamReading,
        hasEnded: Bool
    ) throws(TransferFailure) -> Progress {
        switch reading.end {
        case .count(let wanted):
            move(Int(min(Int64(count), wanted - takenCount)), reading)
            return takenCount == wanted ? done() : .needsMore
        case .range(let lengths):
            move(Int(min(Int64(count), lengths.upperBound - takenCount)), reading)
            return takenCount >= lengths.lowerBound ? done() : .needsMore
        case .delimiter(let delimiter):
            let end = find(delimiter)
            // The beginning of the delimiter may have arrived.
            let length = end ?? max(0, count - delimiter.count + 1)
            try check(length, reading)
            move(length, reading)
            guard end != nil else {
                searchedCount = 0
                return .needsMore
            }
            drop(delimiter.count)
            return done()
        case .line(let pattern): return try takeLines(pattern, reading)
        case .closed:
            try check(count, reading)
            move(count, reading)
            return hasEnded ? done() : .needsMore
        }
    }

    /// Takes whole lines up to a line that matches, whose line break is not part of the result.
    private mutating func takeLines(
        _ pattern: String,
        _ reading: StreamReading
    ) throws(TransferFailure) -> Progress {
        while let end = find([10]) {
            try check(end + 1, reading)
            let isCRLF = end > 0 && bytes[start + end - 1] == 13
            let length = isCRLF ? end - 1 : end
            if try matches(pattern, length: length) {
                move(length, reading)
                drop(isCRLF ? 2 : 1)
                return done()
            }
            move(end + 1, reading)
            searchedCount = 0
        }
        try check(count, reading)
        // A line is in memory, whatever the step does with its bytes.
        guard count <= StreamReading.usualSize || reading.maximumSize != nil else {
            throw Self.excess(StreamReading.usualSize)
        }
        return .needsMore
    }

    /// Whether the pattern matches in the first bytes.
    private mutating func matches(_ text: String, length: Int) throws(TransferFailure) -> Bool {
        let pattern: StreamPattern
        if let linePattern, linePattern.text == text {
            pattern = linePattern
        } else {
            pattern = try StreamPattern(text)
            linePattern = pattern
        }
        return try pattern.matches(bytes.span.extracting(start..<start + length))
    }

    /// The offset of a delimiter in the bytes that no step has taken; nil while there is none.
    private mutating func find(_ delimiter: [UInt8]) -> Int? {
        guard let first = delimiter.first, count >= delimiter.count else { return nil }
        let last = bytes.count - delimiter.count
        var place = start + searchedCount
        while place <= last {
            if bytes[place] == first,
                bytes[place..<place + delimiter.count].elementsEqual(delimiter)
            {
                return place - start
            }
            place += 1
        }
        searchedCount = place - start
        return nil
    }

    private func check(_ more: Int, _ reading: StreamReading) throws(TransferFailure) {
        if let limit = reading.maximumSize, takenCount + Int64(more) > limit {
            throw Self.excess(limit)
        }
    }

    private static func excess(_ limit: Int64) -> TransferFailure {
        TransferFailure(
            kind: .tooLarge,
            phase: .receive,
            detail: "more than \(limit) bytes arrived (`maximumSize`)",
            urlError: .dataLengthExceedsMaximum,
            isPermanent: true
        )
    }

    private mutating func move(_ length: Int, _ reading: StreamReading) {
        guard length > 0 else { return }
        if reading.isForFile {
            fileBytes += bytes[start..<start + length]
        } else {
            result += bytes[start..<start + length]
        }
        takenCount += Int64(length)
        drop(length)
    }

    private mutating func drop(_ length: Int) {
        start += length
        searchedCount = max(0, searchedCount - length)
        guard start == bytes.count else { return }
        bytes.removeAll(keepingCapacity: true)
        start = 0
    }

    private mutating func done() -> Progress {
        defer {
            result = []
            takenCount = 0
            searchedCount = 0
        }
        return .done(result, count: takenCount)
    }
}

extension StreamReading {
    /// Checks the bytes of the step against its expectation; returns the captured values.
    func judge(_ bytes: [UInt8]) throws(TransferFailure) -> [CapturedValue] {
        if let text, !text.utf8.elementsEqual(bytes) {
            throw .ofContent("got “\(TextExcerpt.of(bytes))” instead of “\(TextExcerpt.of(text))”")
        }
        if let pattern, try !StreamPattern(pattern).matches(bytes.span) {
            throw .ofContent(
                "got “\(TextExcerpt.of(bytes))”, which `\(TextExcerpt.of(pattern))` does not match"
            )
        }
        let document = captures.needJSON ? try? JSONValue(bytes: bytes) : nil
        let head = ResponseHead(statusCode: 200)
        do throws(Capture.Absence) {
            return try captures.values(head, document, bytes)
        } catch {
            let (capture, miss) = (error.capture, error.miss)
            throw .ofContent(
                "the capture `\(capture.name)` (\(capture.place)) is \(miss.actual) instead of "
                    + miss.expected
            )
        }
    }
}

/// A compiled pattern of a stream's step.
///
/// A class, because compiled patterns cannot be copied.
final class StreamPattern {
    let text: String
    private let expression: RegularExpression

    /// A search holds the thread of its engine, so it is short.
    static let longestSearchNanoseconds: Int64 = 100_000_000

    /// Compiles a pattern.
    init(_ text: String) throws(TransferFailure) {
        self.text = text
        do throws(RegularExpressionFault) {
            expression = try RegularExpression(text)
        } catch {
            switch error {
            case .syntax(let message, _), .unavailable(let message):
                throw .ofContent("`\(TextExcerpt.of(text))` was not searched for: \(message)")
            }
        }
    }

    /// Whether the pattern matches anywhere.
    func matches(_ bytes: Span<UInt8>) throws(TransferFailure) -> Bool {
        switch expression.search(bytes, withinNanoseconds: Self.longestSearchNanoseconds) {
        case .found: return true
        case .notFound: return false
        case .gaveUp:
            throw .ofContent(
                "`\(TextExcerpt.of(text))` was not found within the limits of a search"
            )
        }
    }
}
