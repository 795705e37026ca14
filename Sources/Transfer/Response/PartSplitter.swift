internal import SystemKit
internal import TransferModel

/// Splits a `multipart/x-mixed-replace` body into its parts while it arrives (RFC 2046 §5.1.1).
///
/// A part ends at the next delimiter, or after its `Content-Length` if it has one. Memory is
/// bounded by the pieces that arrive and the limits below, whatever the server sends.
struct PartSplitter {
    /// The next event in the body.
    enum Event: Hashable {
        /// A part begins, with its fields.
        case begin(HeaderFields)
        /// Bytes of the part, by their positions in `bytes`.
        case content(Range<Int>)
        /// The part is whole.
        case end
        /// The last part was whole; nothing follows.
        case close
    }

    private enum State: Hashable {
        /// Before the first delimiter.
        case preamble
        case head
        /// In a part; `rest` bytes of its `Content-Length` are missing.
        case content(rest: Int64?)
        /// After a part that has had all bytes of its `Content-Length`.
        case behindContent
        /// After the last delimiter, before `close`.
        case closing
        case closed
    }

    /// The kind of a line after a part.
    private enum Line {
        case delimiter
        case lastDelimiter
        case other
    }

    /// The longest boundary (RFC 2046 §5.1.1).
    static let longestBoundary = 70
    /// The most bytes before the first delimiter, and of the fields of a part.
    static let longestPreamble = 64 << 10
    static let longestHead = 16 << 10
    static let mostFields = 100
    /// The most blanks after a delimiter.
    private static let longestPadding = 64

    /// `--` and the boundary; also the boundary alone if it begins with `--`, because cameras
    /// declare the whole delimiter.
    private let delimiters: [[UInt8]]
    private var state = State.preamble
    /// The bytes that have arrived and may still be needed.
    private(set) var bytes: [UInt8] = []
    /// The first byte of `bytes` that no event has covered.
    private var start = 0
    /// The bytes of the preamble or the head so far.
    private var skipped = 0
    /// Whether the part has had no byte: a delimiter may follow its head at once.
    private var isAtStart = false
    private var hasEnded = false

    /// Splits the body of a response.
    ///
    /// - Throws: A fault when its `Content-Type` has no usable boundary.
    init(_ head: ResponseHead) throws(PartFault) {
        guard let boundary = Self.boundary(of: head) else {
            throw PartFault(detail: "its Content-Type has no usable `boundary`")
        }
        let dashes = Array("--".utf8)
        delimiters =
            boundary.starts(with: dashes) ? [dashes + boundary, boundary] : [dashes + boundary]
    }

    /// Whether a response has parts that replace each other.
    static func applies(to head: ResponseHead) -> Bool {
        head.mimeType == "multipart/x-mixed-replace"
    }

    /// Whether the body has begun a part that is not whole.
    var isInPart: Bool {
        switch state {
        case .content, .head: true
        case .preamble, .behindContent, .closing, .closed: false
        }
    }

    /// Takes the next piece of the body; the positions of earlier events are invalid afterwards.
    mutating func push(_ piece: Span<UInt8>) {
        bytes.removeFirst(start)
        start = 0
        if state != .closed { bytes.append(piece) }
    }

    /// Takes the end of the body: a last line needs no line break.
    mutating func finish() { hasEnded = true }

    /// The next event; nil when it needs more bytes.
    ///
    /// - Throws: A fault when the body breaks a rule or a limit.
    mutating func next() throws(PartFault) -> Event? {
        while true {
            switch state {
            case .closed: return nil
            case .closing:
                state = .closed
                return .close
            case .preamble:
                guard let line = nextLine() else {
                    try limit(skipped + bytes.count - start, Self.longestPreamble, "no boundary")
                    return nil
                }
                skipped += line.end - start
                try limit(skipped, Self.longestPreamble, "no boundary")
                start = line.end
                if let event = enter(kind(of: line.content), wasInPart: false) { return event }
            case .head:
                guard let fields = try head() else { return nil }
                state = .content(rest: try Self.length(of: fields))
                isAtStart = true
                return .begin(fields)
            case .content(rest: let rest?):
                guard let event = sized(rest) else { return nil }
                return event
            case .content(rest: nil):
                guard let event = delimited() else { return nil }
                return event
            case .behindContent:
                guard let line = nextLine() else {
                    try limit(bytes.count - start, Self.longestPadding + 80, "no boundary")
                    return nil
                }
                let kind = kind(of: line.content)
                guard kind != .other || line.content.isEmpty else {
                    throw PartFault(detail: "a part is longer than its Content-Length")
                }
                start = line.end
                if let event = enter(kind, wasInPart: false) { return event }
            }
        }
    }

    private func limit(_ count: Int, _ most: Int, _ what: String) throws(PartFault) {
        guard count <= most else { throw PartFault(detail: "\(what) in \(most) bytes") }
    }

    /// Goes on after a line; nil when another line follows.
    private mutating func enter(_ line: Line, wasInPart: Bool) -> Event? {
        switch line {
        case .other: return nil
        case .delimiter:
            state = .head
            skipped = 0
            return wasInPart ? .end : nil
        case .lastDelimiter:
            state = .closing
            return wasInPart ? .end : nil
        }
    }

    // MARK: - Content

    /// The next bytes of a part with a length, or its end.
    private mutating func sized(_ rest: Int64) -> Event? {
        guard rest > 0 else {
            state = .behindContent
            return .end
        }
        let count = Int(min(rest, Int64(bytes.count - start)))
        guard count > 0 else { return nil }
        let range = start..<start + count
        start += count
        state = .content(rest: rest - Int64(count))
        return .content(range)
    }

    /// The next bytes of a part without a length, or its end.
    private mutating func delimited() -> Event? {
        var index = start
        if isAtStart {
            switch line(at: start) {
            case nil: return nil
            case .some((.other, _)): isAtStart = false
            case .some((let kind, let end)):
                start = end
                return enter(kind, wasInPart: true)
            }
        }
        while index < bytes.count {
            guard bytes[index] == 10 else {
                index += 1
                continue
            }
            let isAfterReturn = index > start && bytes[index - 1] == 13
            let end = isAfterReturn ? index - 1 : index
            switch line(at: index + 1) {
            case nil: return content(upTo: end)
            case .some((.other, _)): index += 1
            case .some((let kind, let next)):
                // The line break in front belongs to the delimiter.
                if end > start { return content(upTo: end) }
                start = next
                return enter(kind, wasInPart: true)
            }
        }
        // The line feed of a delimiter may follow.
        return content(upTo: bytes.last == 13 && !hasEnded ? bytes.count - 1 : bytes.count)
    }

    private mutating func content(upTo end: Int) -> Event? {
        guard end > start else { return nil }
        defer { start = end }
        return .content(start..<end)
    }

    /// The kind of the line at a position, and the position after it; nil when more bytes decide.
    private func line(at index: Int) -> (kind: Line, end: Int)? {
        var isOpen = false
        for delimiter in delimiters {
            let count = min(delimiter.count, bytes.count - index)
            guard Self.equals(bytes, index, delimiter, count) else { continue }
            guard count == delimiter.count else {
                isOpen = true
                continue
            }
            let rest = index + count
            let most = min(bytes.count, rest + Self.longestPadding)
            if let feed = bytes[rest..<most].firstIndex(of: 10) {
                let kind = Self.kind(ofRest: bytes[rest..<feed])
                if kind != .other { return (kind, feed + 1) }
            } else if bytes.count < rest + Self.longestPadding {
                guard hasEnded else {
                    isOpen = true
                    continue
                }
                let kind = Self.kind(ofRest: bytes[rest...])
                if kind != .other { return (kind, bytes.count) }
            }
        }
        return isOpen && !hasEnded ? nil : (.other, index)
    }

    private static func equals(_ bytes: [UInt8], _ index: Int, _ other: [UInt8], _ count: Int)
        -> Bool
    {
        for offset in 0..<count where bytes[index + offset] != other[offset] { return false }
        return true
    }

    /// The kind of a line by the bytes after the delimiter in it.
    private static func kind(ofRest rest: ArraySlice<UInt8>) -> Line {
        var rest = rest
        while let last = rest.last, [9, 13, 32].contains(last) { rest.removeLast() }
        if rest.isEmpty { return .delimiter }
        return rest.elementsEqual("--".utf8) ? .lastDelimiter : .other
    }

    private func kind(of line: ArraySlice<UInt8>) -> Line {
        for delimiter in delimiters where line.starts(with: delimiter) {
            let kind = Self.kind(ofRest: line.dropFirst(delimiter.count))
            if kind != .other { return kind }
        }
        return .other
    }

    // MARK: - Heads

    /// The next line without its break, and the position after it; nil when its end is missing.
    private func nextLine() -> (content: ArraySlice<UInt8>, end: Int)? {
        guard let feed = bytes[start...].firstIndex(of: 10) else {
            return hasEnded && start < bytes.count ? (bytes[start...], bytes.count) : nil
        }
        let isAfterReturn = feed > start && bytes[feed - 1] == 13
        return (bytes[start..<(isAfterReturn ? feed - 1 : feed)], feed + 1)
    }

    /// The fields of a part; nil when their end is missing.
    ///
    /// They are read when all of them are there.
    private mutating func head() throws(PartFault) -> HeaderFields? {
        var fields = HeaderFields()
        let first = start
        var isWhole = false
        while let line = nextLine() {
            try limit(line.end - first, Self.longestHead, "no end of the fields of a part")
            start = line.end
            if line.content.isEmpty {
                isWhole = true
                break
            }
            guard fields.count < Self.mostFields else {
                throw PartFault(detail: "a part has more than \(Self.mostFields) fields")
            }
            fields.append(try Self.field(line.content))
        }
        guard isWhole else {
            try limit(bytes.count - first, Self.longestHead, "no end of the fields of a part")
            start = first
            return nil
        }
        skipped = 0
        return fields
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(PartFault) -> HeaderField {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy({ $0 > 32 && $0 < 127 })
        else { throw PartFault(detail: "a part has a line that is no field") }
        let value = line[(colon + 1)...].withoutOuterBlanks
        guard value.allSatisfy(\.isFieldByte) else {
            throw PartFault(detail: "a part has a field with a control character")
        }
        return HeaderField(
            name: String(decoding: line[..<colon], as: UTF8.self),
            value: HeaderFields.text(value)
        )
    }

    /// The length of a part; nil without one.
    private static func length(of fields: HeaderFields) throws(PartFault) -> Int64? {
        let values = fields.values(of: "content-length")
        guard let first = values.first else { return nil }
        guard values.allSatisfy({ $0 == first }), first.utf8.count <= 15, !first.isEmpty,
            first.utf8.allSatisfy(\.isDigit), let length = Int64(first)
        else { throw PartFault(detail: "a part has a Content-Length that is no number") }
        return length
    }

    /// The boundary of a response; nil for none, or one that RFC 2046 §5.1.1 does not allow.
    private static func boundary(of head: ResponseHead) -> [UInt8]? {
        guard let value = head.fields["content-type"] else { return nil }
        for parameter in value.splitAtBytes(";").dropFirst() {
            let parts = parameter.splitAtBytes("=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            var (name, text) = (Array(parts[0].utf8), Array(parts[1].utf8).withoutOuterBlanks)
            name.removeAll(where: \.isBlank)
            guard name.map(\.asciiLowercased).elementsEqual("boundary".utf8) else { continue }
            if text.count >= 2, text.first == 0x22, text.last == 0x22 {
                text = text.dropFirst().dropLast()
            }
            let isAllowed =
                !text.isEmpty && text.count <= longestBoundary && text.last != 32
                && text.allSatisfy { $0 >= 32 && $0 < 127 && $0 != 0x22 && $0 != 0x5C }
            return isAllowed ? Array(text) : nil
        }
        return nil
    }
}

/// Why a body has no parts, without the name of the response.
struct PartFault: Error, Hashable {
    var detail: String
}
