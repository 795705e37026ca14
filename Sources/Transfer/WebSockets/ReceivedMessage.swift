internal import JSON
internal import RegexKit
internal import SystemKit
internal import TransferModel
internal import WebSockets

/// A message of the server, whose JSON is decoded once at most.
struct ReceivedMessage {
    /// Why a message does not meet an expectation.
    struct Mismatch: Error, Hashable {
        var expected: String
        var actual: String
    }

    let message: Message
    /// When the message was complete.
    let date: Timestamp
    /// The decoded JSON; nil before the first use, nil inside for bytes that are not JSON.
    private var decoded: JSONValue??

    init(_ message: Message, at date: Timestamp) {
        self.message = message
        self.date = date
    }

    var type: MessageType { message.kind == .text ? .text : .binary }

    /// The message as JSON; nil if it is not JSON.
    mutating func document() -> JSONValue? {
        if let decoded { return decoded }
        let document = try? JSONValue(bytes: message.bytes)
        decoded = .some(document)
        return document
    }

    /// The first requirement that the message does not meet; nil if it meets all of them.
    mutating func mismatch(_ expectation: MessageExpectation) -> Mismatch? {
        if let type = expectation.type, type != self.type {
            return Mismatch(
                expected: "a \(type.rawValue) message",
                actual: "a \(self.type.rawValue) one"
            )
        }
        if let text = expectation.text, !text.utf8.elementsEqual(message.bytes) {
            return Mismatch(expected: "“\(TextExcerpt.of(text))”", actual: excerpt)
        }
        if let pattern = expectation.pattern, let fault = mismatch(ofPattern: pattern) {
            return fault
        }
        guard let json = expectation.json else { return nil }
        guard let document = document() else {
            return Mismatch(expected: "JSON", actual: excerpt)
        }
        for wanted in json {
            guard let actual = ContentCheck.mismatch(wanted, in: document) else { continue }
            let value = wanted.value.map(ContentCheck.text) ?? "a value"
            return Mismatch(expected: "`\(wanted.pointer)` to be \(value)", actual: actual)
        }
        return nil
    }

    private func mismatch(ofPattern pattern: String) -> Mismatch? {
        let expected = "a match of `\(TextExcerpt.of(pattern))`"
        do throws(RegularExpressionFault) {
            let limit = StreamPattern.longestSearchNanoseconds
            let expression = try RegularExpression(pattern)
            switch expression.search(message.bytes.span, withinNanoseconds: limit) {
            case .found: return nil
            case .notFound:
                // A first group that matched nothing leaves no range.
                return Mismatch(expected: expected, actual: excerpt)
            case .gaveUp:
                return Mismatch(expected: expected, actual: "beyond the limits of a search")
            }
        } catch {
            switch error {
            case .syntax(let text, _), .unavailable(let text):
                return Mismatch(expected: expected, actual: "not searched for: \(text)")
            }
        }
    }

    /// The values of captures, in their order.
    mutating func values(of captures: [Capture]) throws(Mismatch) -> [CapturedValue] {
        let document = captures.needJSON ? self.document() : nil
        let head = ResponseHead(statusCode: 101)
        do throws(Capture.Absence) {
            return try captures.values(head, document, message.bytes)
        } catch {
            throw Mismatch(
                expected: "the capture `\(error.capture.name)` to find \(error.miss.expected)",
                actual: error.miss.actual
            )
        }
    }

    /// The beginning of the message for a failure.
    private var excerpt: String {
        guard message.kind == .text else { return "\(message.bytes.count) binary bytes" }
        return "“\(TextExcerpt.of(message.bytes))”"
    }

    /// Appends the message as one line of JSON: `date`, and `json`, `text` or `base64`.
    ///
    /// JSON keeps its spelling: a line break can stand only between its tokens.
    mutating func appendLine(to lines: inout [UInt8], _ formatter: inout TimestampFormatter) {
        lines += Array("{\"date\":\"".utf8)
        let text = formatter.text(of: date)
        for index in text.indices { lines.append(text[index]) }
        lines += Array("\",".utf8)
        if message.kind == .binary {
            lines += Array("\"base64\":\"\(Base64.encode(message.bytes))\"".utf8)
        } else if document() != nil {
            lines += Array("\"json\":".utf8)
            for byte in message.bytes { lines.append(byte == 10 || byte == 13 ? 0x20 : byte) }
        } else {
            var writer = JSONWriter()
            writer.string(message.text ?? "")
            lines += Array("\"text\":".utf8)
            lines += writer.bytes
        }
        lines += Array("}\n".utf8)
    }
}

/// The messages that have arrived and that no step has taken, oldest first.
struct MessageInbox {
    private var messages: [ReceivedMessage?] = []
    /// The index of the oldest message.
    private var start = 0
    private var byteCount = 0
    private let limit: Int

    /// The size of a message in memory beside its bytes.
    private static let overhead = 128

    /// Creates an inbox that is full with so many bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether no more bytes should be read until a step takes messages.
    var isFull: Bool { byteCount >= limit }

    mutating func append(_ message: ReceivedMessage) {
        byteCount += message.message.bytes.count + Self.overhead
        messages.append(message)
    }

    /// The oldest message; nil for none.
    mutating func take() -> ReceivedMessage? {
        guard start < messages.count, let message = messages[start] else { return nil }
        messages[start] = nil
        start += 1
        byteCount -= message.message.bytes.count + Self.overhead
        // Half of the array at most is empty places.
        if start * 2 >= messages.count {
            messages.removeFirst(start)
            start = 0
        }
        return message
    }

    mutating func removeAll() {
        messages = []
        start = 0
        byteCount = 0
    }
}
