internal import SystemKit
internal import JSON
internal import TransferModel

/// The bytes of a `read` step.
struct StreamBytes {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Checks the bytes against the expectation of their step; returns the captured values.
    func judge(_ reading: StreamReading) throws(StreamFault) -> [CapturedValue] {
        if let text = reading.text, !text.utf8.elementsEqual(bytes) {
            throw .content("got “\(excerpt)” instead of “\(TextExcerpt.of(text))”")
        }
        if let pattern = reading.pattern, try !StreamPattern(pattern).matches(bytes.span) {
            throw .content("got “\(excerpt)”, which `\(TextExcerpt.of(pattern))` does not match")
        }
        return try values(of: reading.captures)
    }

    private func values(of captures: [Capture]) throws(StreamFault) -> [CapturedValue] {
        guard !captures.isEmpty else { return [] }
        let needsJSON = captures.contains { if case .json = $0.source { true } else { false } }
        let document = needsJSON ? try? JSONValue(bytes: bytes) : nil
        let head = ResponseHead(statusCode: 200)
        var values: [CapturedValue] = []
        for capture in captures {
            do throws(CaptureMiss) {
                values.append(try capture.value(head, document, bytes))
            } catch {
                throw .content(
                    "the capture `\(capture.name)` (\(capture.place)) is \(error.actual) instead "
                        + "of \(error.expected)"
                )
            }
        }
        return values
    }

    /// The beginning of the bytes for a failure.
    private var excerpt: String {
        // Enough for an excerpt of four-byte characters.
        let beginning = String(decoding: bytes.prefix(1 << 10), as: UTF8.self)
        return TextExcerpt.of(beginning, isCut: bytes.count > 1 << 10)
    }
}
