internal import SystemKit
internal import TransferModel

/// The file that lists the responses of one URL: lines that can be read by people, and a hash of them all at the end.
///
/// It says `runner responses 1`, the URL, and for each response a line of numbers, one for each field of the selection, the
/// response's own field lines, and an empty line. What does not end in its hash was not written as a whole.
enum EntryText {
    private static let title = "runner responses 1"
    private static let lineFeed = UInt8(ascii: "\n")

    static func make(_ responses: [StoredResponse], url: String) -> [UInt8] {
        var text = Array("\(title)\n\(url)\n".utf8)
        for response in responses {
            let body = response.body
            let hash = String(body.hash, radix: 16)
            let name = body.name.isEmpty ? "-" : body.name
            let numbers: [Int64] = [
                Int64(response.statusCode), response.requestTime.microseconds,
                response.responseTime.microseconds, response.isInvalidated ? 1 : 0,
                Int64(response.selection.fields.count), body.length,
            ]
            let line = numbers.map { "\($0)" }.joined(separator: " ")
            text += Array("\(line) \(hash) \(name)\n".utf8)
            for field in response.selection.fields {
                text += Array("\(field.name) \(field.fingerprint ?? "-")\n".utf8)
            }
            text += response.fields.lines
            text.append(lineFeed)
        }
        return text + Array("\(String(ContentHash(of: text.span).value, radix: 16))\n".utf8)
    }

    /// Reads such a text.
    ///
    /// - Returns: nil when it is none, or not all of it.
    static func parse(_ text: [UInt8]) -> (url: String, responses: [StoredResponse])? {
        var end = text.count - 1
        guard end > 0, text[end] == lineFeed else { return nil }
        while end > 0, text[end - 1] != lineFeed { end -= 1 }
        let span = text.span
        let hash = UInt64(String(decoding: text[end..<(text.count - 1)], as: UTF8.self), radix: 16)
        guard hash == ContentHash(of: span.extracting(first: end)).value else { return nil }
        var lines = Lines(text[..<end])
        guard lines.next() == title, let url = lines.next() else { return nil }
        var responses: [StoredResponse] = []
        while !lines.isAtEnd {
            guard let response = response(&lines) else { return nil }
            responses.append(response)
        }
        return (url, responses)
    }

    private static func response(_ lines: inout Lines) -> StoredResponse? {
        guard let words = lines.next()?.split(separator: " "), words.count == 8 else { return nil }
        let numbers = words[..<6].compactMap { Int64($0) }
        guard numbers.count == 6, let hash = UInt64(words[6], radix: 16),
            (100...999).contains(numbers[0]), (0...64).contains(numbers[4]), numbers[5] >= 0
        else { return nil }
        var selection = Selection()
        for _ in 0..<numbers[4] {
            guard let parts = lines.next()?.split(separator: " "), parts.count == 2 else {
                return nil
            }
            selection.fields.append(
                .init(name: String(parts[0]), fingerprint: parts[1] == "-" ? nil : String(parts[1]))
            )
        }
        var response = StoredResponse(
            statusCode: Int(numbers[0]),
            fields: lines.fields(),
            requestTime: Timestamp(microseconds: numbers[1]),
            responseTime: Timestamp(microseconds: numbers[2]),
            selection: selection,
            body: .init(
                length: numbers[5],
                hash: hash,
                name: words[7] == "-" ? "" : String(words[7])
            )
        )
        response.isInvalidated = numbers[3] != 0
        return response
    }

    /// The lines of a text, one after the other.
    private struct Lines {
        private let text: ArraySlice<UInt8>
        private var position: Int

        init(_ text: ArraySlice<UInt8>) {
            self.text = text
            position = text.startIndex
        }

        var isAtEnd: Bool { position >= text.endIndex }

        mutating func next() -> String? {
            guard !isAtEnd else { return nil }
            let end = text[position...].firstIndex(of: lineFeed) ?? text.endIndex
            defer { position = end + 1 }
            return String(decoding: text[position..<end], as: UTF8.self)
        }

        /// The field lines up to an empty one.
        mutating func fields() -> HeaderFields {
            var end = position
            var isLineEmpty = true
            while end < text.endIndex, !(isLineEmpty && text[end] == lineFeed) {
                isLineEmpty = text[end] == lineFeed
                end += 1
            }
            let lines = Array(text[position..<end])
            position = end + 1
            var fields = HeaderFields()
            fields.append(sentLines: lines.span)
            return fields
        }
    }
}
