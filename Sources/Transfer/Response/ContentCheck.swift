internal import JSON
internal import SystemKit
internal import TransferModel

/// Checks the fields and the body of a complete response against expectations, and extracts the
/// captures.
///
/// A separate value, so that another thread can examine a large body.
struct ContentCheck: Sendable {
    private let head: ResponseHead
    private let headers: [HeaderField]
    private let json: [Expectation.JSONValueAt]
    private let captures: [Capture]
    /// Whether the body is decoded.
    private let needsJSON: Bool
    /// The body to examine; nil without expectations for it, or when the response cannot have one.
    private let body: [UInt8]?

    /// nil without expectations for the response's content.
    init?(_ expectation: borrowing Expectation, head: ResponseHead?, body: [UInt8]?) {
        guard let head,
            body != nil || !expectation.headers.isEmpty || !expectation.captures.isEmpty
        else { return nil }
        self.head = head
        headers = expectation.headers
        json = body == nil ? [] : expectation.json ?? []
        captures = expectation.captures
        needsJSON = expectation.needsJSON
        self.body = body
    }

    /// Whether judging is faster than passing the check to another thread.
    var isQuick: Bool {
        guard (body?.count ?? 0) <= ResponseSink.memoryLimit else { return false }
        return !captures.contains { if case .regex = $0.source { true } else { false } }
    }

    /// Decodes the body, then checks fields and values and extracts captures, each in the job
    /// file's order.
    func judge() -> Findings {
        var findings = Findings()
        var document: JSONValue?
        if needsJSON, let body {
            do throws(JSONSyntaxError) {
                document = try JSONValue(bytes: Self.withoutMark(body))
                findings.pass(.decoding)
            } catch {
                findings.fail(
                    TaskRecord.Check(
                        .decoding,
                        passed: false,
                        expected: "JSON",
                        actual: TextExcerpt.of(error.description)
                    ),
                    failure(of: body, error)
                )
                return findings
            }
        }
        for field in headers {
            guard let actual = mismatch(field) else { continue }
            findings.failContent(field.name, expected: field.value, actual: actual)
            return findings
        }
        for expected in json {
            guard let actual = Self.mismatch(expected, in: document) else { continue }
            findings.failContent(
                "`\(expected.pointer)` of the body",
                expected: expected.value.map(Self.text) ?? "a value",
                actual: actual
            )
            return findings
        }
        for capture in captures {
            do throws(CaptureMiss) {
                findings.captured.append(try capture.value(head, document, body))
            } catch {
                let what = "the capture `\(capture.name)` (\(capture.place))"
                findings.failContent(what, expected: error.expected, actual: error.actual)
                return findings
            }
        }
        if !headers.isEmpty || !json.isEmpty || !captures.isEmpty { findings.pass(.content) }
        return findings
    }

    /// The failure of a body that is not JSON: the server's own type for it says more than a
    /// parser.
    private func failure(of body: [UInt8], _ fault: JSONSyntaxError) -> TransferFailure {
        let isOther = head.mimeType.map { !$0.hasByteSuffix("json") } ?? false
        let words =
            isOther
            ? "the body is \(TextExcerpt.of(head.mimeType ?? "")), not JSON"
            : "the body is not JSON: \(TextExcerpt.of(fault.description))"
        var failure = TransferFailure(kind: .content, phase: .receive, detail: words)
        failure.isPermanent = true
        failure.urlError = .cannotParseResponse
        failure.help = ServerExcerpt.help(ofDecoded: body, mimeType: head.mimeType)
        return failure
    }

    /// A byte order mark is not part of a text (RFC 8259 §8.1 allows ignoring it).
    private static func withoutMark(_ body: [UInt8]) -> [UInt8] {
        body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body
    }

    /// The actual value of a mismatched field; repeated lines match singly or joined (RFC 9110
    /// §5.3).
    private func mismatch(_ field: HeaderField) -> String? {
        let values = head.fields.allValues(of: field.name)
        guard !values.isEmpty else { return "missing" }
        if field.value == "*" { return nil }
        let all = Array(values.joined(separator: ", ".utf8))
        let wanted = Array(field.value.utf8)
        if all == wanted || values.contains(wanted[...]) { return nil }
        return TextExcerpt.of(String(validating: all, as: UTF8.self) ?? HeaderFields.text(all[...]))
    }

    /// The actual value in the body if it does not match.
    static func mismatch(_ expected: Expectation.JSONValueAt, in document: JSONValue?) -> String? {
        guard let actual = document.flatMap(expected.pointer.resolve) else { return "missing" }
        guard let value = expected.value, !actual.isEquivalent(to: value) else { return nil }
        return text(actual)
    }

    /// The beginning of a value as JSON.
    static func text(_ value: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(value)
        // Enough for an excerpt of four-byte characters.
        let bytes = writer.bytes
        let beginning = bytes.prefix(1 << 10)
        return TextExcerpt.of(
            String(decoding: beginning, as: UTF8.self),
            isCut: beginning.count < bytes.count
        )
    }
}

extension Findings {
    fileprivate mutating func failContent(_ what: String, expected: String, actual: String) {
        fail(
            .content,
            expected: "\(what): \(expected)",
            actual: actual,
            .content,
            "\(what) is \(actual) instead of \(expected)",
            .badServerResponse
        )
    }
}
