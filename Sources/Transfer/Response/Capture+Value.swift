internal import JSON
internal import RegexKit
internal import TransferModel

/// The expected and the actual kind of a captured value; neither quotes a value, which may be
/// secret.
struct CaptureMiss: Error, Hashable {
    var expected: String
    var actual: String
}

extension [Capture] {
    /// Whether any value comes from a JSON body.
    var needJSON: Bool { contains { if case .json = $0.source { true } else { false } } }

    /// Extracts all values from a response, in their order.
    func values(
        _ head: ResponseHead,
        _ document: JSONValue?,
        _ body: [UInt8]?
    ) throws(Capture.Absence) -> [CapturedValue] {
        var values: [CapturedValue] = []
        for capture in self {
            do throws(CaptureMiss) {
                values.append(try capture.value(head, document, body))
            } catch {
                throw Capture.Absence(capture: capture, miss: error)
            }
        }
        return values
    }
}

extension Capture {
    /// A value that a response does not have.
    struct Absence: Error {
        let capture: Capture
        let miss: CaptureMiss
    }

    /// Extracts the value from a response.
    ///
    /// - Parameters:
    ///   - head: The response's status and fields.
    ///   - document: The body as JSON; nil if missing or not decoded.
    ///   - body: The body; nil if missing.
    /// - Returns: The value, of at most `CapturedValue.maximumSize` bytes.
    /// - Throws: The miss, when the response has no such value.
    func value(
        _ head: ResponseHead,
        _ document: JSONValue?,
        _ body: [UInt8]?
    ) throws(CaptureMiss) -> CapturedValue {
        let value =
            switch source {
            case .json(let pointer): try scalar(document.flatMap(pointer.resolve))
            case .header(let field): try text(of: head.fields.firstValue(of: field))
            case .regex(let pattern): try match(of: pattern, in: body)
            }
        let size = value.text.utf8.count
        guard size <= CapturedValue.maximumSize else {
            throw CaptureMiss(
                expected: "at most \(CapturedValue.maximumSize) bytes",
                actual: "\(size) bytes long"
            )
        }
        return value
    }

    /// The value's place in words.
    var place: String {
        switch source {
        case .json(let pointer): "`\(pointer)` of the body"
        case .header(let field): "the field `\(field)`"
        case .regex(let pattern): "the match of `\(TextExcerpt.of(pattern))`"
        }
    }

    private func scalar(_ value: JSONValue?) throws(CaptureMiss) -> CapturedValue {
        let actual: String
        switch value {
        case .string(let text): return CapturedValue(name, text)
        case .number(let text): return CapturedValue(name, text, .number)
        case .bool(let value): return CapturedValue(name, value ? "true" : "false", .bool)
        case .null: actual = "null"
        case .array: actual = "a list"
        case .object: actual = "an object"
        case nil: actual = "missing"
        }
        throw CaptureMiss(expected: "a text, a number, true or false", actual: actual)
    }

    /// The bytes as UTF-8 if valid, otherwise each byte as one character.
    private func text(of bytes: ArraySlice<UInt8>?) throws(CaptureMiss) -> CapturedValue {
        guard let bytes else { throw CaptureMiss(expected: "a value", actual: "missing") }
        let text = String(validating: bytes, as: UTF8.self) ?? HeaderFields.text(bytes)
        return CapturedValue(name, text)
    }

    private func match(of pattern: String, in body: [UInt8]?) throws(CaptureMiss) -> CapturedValue {
        var actual = "missing"
        if let body {
            do throws(RegularExpressionFault) {
                switch try RegularExpression(pattern).search(body.span) {
                case .found(let range):
                    return CapturedValue(name, String(decoding: body[range], as: UTF8.self))
                case .notFound: break
                case .gaveUp: actual = "beyond the limits of a search"
                }
            } catch {
                switch error {
                case .syntax(let message, _), .unavailable(let message):
                    actual = "not searched for: \(message)"
                }
            }
        }
        throw CaptureMiss(expected: "a value", actual: actual)
    }
}
