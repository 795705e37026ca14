internal import SystemKit
internal import TransferModel

/// The text of a list file: readable lines for the responses of one URL, and a hash of all lines at
/// the end.
///
/// It has `runner responses 1`, the URL, and for each response a line of numbers, a line for each
/// selecting field, the response's field lines and an empty line. A text that does not end in its
/// hash is incomplete.
enum EntryText {
    private static let title = "runner responses 1"
    private static let lineFeed = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")

    static func make(_ responses: [StoredResponse], url: String) -> [UInt8] {
        var text: [UInt8] = []
        let length = responses.reduce(0) { $0 + $1.fields.lines.count + 160 }
        text.reserveCapacity(title.utf8.count + url.utf8.count + length + 32)
        text.append(title.utf8.span)
        text.append(lineFeed)
        text.append(url.utf8.span)
        text.append(lineFeed)
        for response in responses {
            let body = response.body
            let numbers: [Int64] = [
                Int64(response.statusCode), response.requestTime.microseconds,
                response.responseTime.microseconds, response.isInvalidated ? 1 : 0,
                Int64(response.selection.fields.count), body.length,
            ]
            for number in numbers {
                text.append(String(number).utf8.span)
                text.append(space)
            }
            text.append(String(body.hash, radix: 16).utf8.span)
            text.append(space)
            text.append((body.name.isEmpty ? "-" : body.name).utf8.span)
            text.append(lineFeed)
            for field in response.selection.fields {
                text.append(field.name.utf8.span)
                text.append(space)
                text.append((field.fingerprint ?? "-").utf8.span)
                text.append(lineFeed)
            }
            text += response.fields.lines
            text.append(lineFeed)
        }
        let hash = ContentHash(of: text.span).value
        text.append(String(hash, radix: 16).utf8.span)
        text.append(lineFeed)
        return text
    }

    /// Reads such a text.
    ///
    /// - Returns: nil when the text is not such a list or is incomplete.
    static func parse(_ text: [UInt8]) -> (url: String, responses: [StoredResponse])? {
        let span = text.span
        var end = span.count - 1
        guard end > 0, span[end] == lineFeed else { return nil }
        while end > 0, span[end - 1] != lineFeed { end -= 1 }
        var last = Words(end..<(span.count - 1))
        guard let hash = last.hexadecimal(span), last.isAtEnd,
            hash == ContentHash(of: span.extracting(first: end)).value
        else { return nil }
        var lines = Lines(end: end)
        guard let first = lines.next(span), span.extracting(first).equals(title.utf8.span),
            let url = lines.next(span)
        else { return nil }
        var responses: [StoredResponse] = []
        while !lines.isAtEnd {
            guard let response = response(&lines, span) else { return nil }
            responses.append(response)
        }
        return (Self.text(span, url), responses)
    }

    private static func response(_ lines: inout Lines, _ text: Span<UInt8>) -> StoredResponse? {
        guard let line = lines.next(text) else { return nil }
        var words = Words(line)
        guard let status = words.number(text), (100...999).contains(status),
            let requestTime = words.number(text), let responseTime = words.number(text),
            let isInvalidated = words.number(text),
            let fieldCount = words.number(text), (0...64).contains(fieldCount),
            let length = words.number(text), length >= 0, let hash = words.hexadecimal(text),
            let name = words.next(text), words.isAtEnd
        else { return nil }
        var selection = Selection()
        for _ in 0..<fieldCount {
            guard let line = lines.next(text) else { return nil }
            var words = Words(line)
            guard let name = words.next(text), let value = words.next(text), words.isAtEnd
            else { return nil }
            selection.fields.append(
                .init(name: Self.text(text, name), fingerprint: optional(text, value))
            )
        }
        var response = StoredResponse(
            statusCode: Int(status),
            fields: lines.fields(text),
            requestTime: Timestamp(microseconds: requestTime),
            responseTime: Timestamp(microseconds: responseTime),
            selection: selection,
            body: .init(length: length, hash: hash, name: optional(text, name) ?? "")
        )
        response.isInvalidated = isInvalidated != 0
        return response
    }

    /// A word, or nil for `-`.
    private static func optional(_ text: Span<UInt8>, _ word: Range<Int>) -> String? {
        if word.count == 1, text[word.lowerBound] == UInt8(ascii: "-") { return nil }
        return Self.text(text, word)
    }

    private static func text(_ text: Span<UInt8>, _ range: Range<Int>) -> String {
        do {
            return String(copying: try UTF8Span(validating: text.extracting(range)))
        } catch {
            // The hash was right, so the text is not damaged; an empty URL matches no lookup.
            return ""
        }
    }

    /// The lines of a text, one after the other.
    private struct Lines {
        private var position = 0
        private let end: Int

        init(end: Int) { self.end = end }

        var isAtEnd: Bool { position >= end }

        /// The range of the next line without its line feed.
        mutating func next(_ text: Span<UInt8>) -> Range<Int>? {
            guard !isAtEnd else { return nil }
            let start = position
            let length = text.extracting(start..<end).firstIndex(of: lineFeed) ?? end - start
            position = start + length + 1
            return start..<(start + length)
        }

        /// The field lines up to an empty line.
        mutating func fields(_ text: Span<UInt8>) -> HeaderFields {
            let start = position
            var fieldsEnd = position
            var count = 0
            while let line = next(text), !line.isEmpty {
                fieldsEnd = min(line.upperBound + 1, end)
                count += 1
            }
            return HeaderFields(lines: text.extracting(start..<fieldsEnd), count: count)
        }
    }

    /// The words of a line, separated by single spaces.
    private struct Words {
        private var position: Int
        private let end: Int

        init(_ line: Range<Int>) {
            position = line.lowerBound
            end = line.upperBound
        }

        var isAtEnd: Bool { position >= end }

        mutating func next(_ text: Span<UInt8>) -> Range<Int>? {
            let start = position
            guard start < end else { return nil }
            let length = text.extracting(start..<end).firstIndex(of: space) ?? end - start
            guard length > 0 else { return nil }
            position = start + length + 1
            return start..<(start + length)
        }

        mutating func number(_ text: Span<UInt8>) -> Int64? {
            unsigned(text, radix: 10).flatMap { Int64(exactly: $0) }
        }

        mutating func hexadecimal(_ text: Span<UInt8>) -> UInt64? { unsigned(text, radix: 16) }

        private mutating func unsigned(_ text: Span<UInt8>, radix: UInt64) -> UInt64? {
            guard let word = next(text) else { return nil }
            var number: UInt64 = 0
            for index in word {
                guard let digit = text[index].hexadecimalValue, digit < radix else { return nil }
                let (product, overflow) = number.multipliedReportingOverflow(by: radix)
                let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
                guard !overflow, !carry else { return nil }
                number = sum
            }
            return number
        }
    }
}
