internal import SystemKit
internal import TransferModel

/// The framing of a response's body by its fields (RFC 9112 §6.3), read line by line.
struct ResponseFraming {
    /// The announced length; nil if missing or beyond 63 bits.
    private(set) var contentLength: Int64?
    private(set) var hasTransferEncoding = false
    /// Whether the body is chunked.
    private(set) var isChunked = false
    private var hasOtherCoding = false
    private var hasLength = false
    private var lengthsDiffer = false
    private var isLengthNoNumber = false

    /// The framing allowed for any body, and for each of its bytes: a chunk of one byte with a size
    /// of eight digits has eleven bytes of framing.
    private static let framingAllowance: Int64 = 64 << 10
    private static let framingPerByte: Int64 = 16

    /// Whether that many bytes of framing exceed the need of that many body bytes.
    static func isTooMuch(_ framing: Int64, around body: Int64) -> Bool {
        framing > framingAllowance && (framing - framingAllowance) / framingPerByte > body
    }

    /// Reads one field line.
    mutating func note(_ line: Span<UInt8>) {
        guard let first = line.indices.first.map({ line[$0] | 0x20 }) else { return }
        // The first letter excludes most lines.
        if first == UInt8(ascii: "c"), let value = Self.value(of: "content-length", in: line) {
            let length = Self.number(line.extracting(droppingFirst: value))
            lengthsDiffer = lengthsDiffer || (hasLength && length != contentLength)
            hasLength = true
            contentLength = length
            isLengthNoNumber = isLengthNoNumber || length == nil
        } else if first == UInt8(ascii: "t"),
            let value = Self.value(of: "transfer-encoding", in: line)
        {
            hasTransferEncoding = true
            noteCodings(line.extracting(droppingFirst: value))
        }
    }

    /// Why the framing is invalid: by contradictory lengths, which are an attack or a fault, or by
    /// a coding that no `TE` field requested (RFC 9112 §7.4).
    var violation: String? {
        if isLengthNoNumber { return "the response has an invalid Content-Length" }
        if lengthsDiffer { return "the response has two different Content-Length fields" }
        if hasLength, hasTransferEncoding {
            return "the response has both Content-Length and Transfer-Encoding"
        }
        if hasOtherCoding {
            return
                "the response has a Transfer-Encoding other than chunked, "
                + "which the request did not allow"
        }
        return nil
    }

    /// The start of the value if the line is a field with that name, given in lower case.
    private static func value(of name: String, in line: Span<UInt8>) -> Int? {
        let count = name.utf8.count
        guard line.count > count, line[count] == UInt8(ascii: ":"),
            line.extracting(first: count).isEqualIgnoringCase(name.utf8.span)
        else { return nil }
        return count + 1
    }

    /// Reads a list of transfer codings.
    private mutating func noteCodings(_ value: Span<UInt8>) {
        var start = 0
        while start < value.count {
            var end = start
            while end < value.count, value[end] != UInt8(ascii: ",") { end += 1 }
            let next = end + 1
            while start < end, value[start] <= 32 { start += 1 }
            while start < end, value[end - 1] <= 32 { end -= 1 }
            if start < end {
                let isName = Self.isChunked(value.extracting(start..<end))
                if isName { isChunked = true } else { hasOtherCoding = true }
            }
            start = next
        }
    }

    private static func isChunked(_ coding: Span<UInt8>) -> Bool {
        let name = "chunked".utf8.span
        guard coding.count == name.count else { return false }
        for index in name.indices where coding[index] | 0x20 != name[index] { return false }
        return true
    }

    private static func number(_ text: Span<UInt8>) -> Int64? {
        var number: Int64 = 0
        var digits = 0
        for index in text.indices {
            let byte = text[index]
            if (48...57).contains(byte) {
                let (product, overflow) = number.multipliedReportingOverflow(by: 10)
                let (sum, carry) = product.addingReportingOverflow(Int64(byte - 48))
                guard !overflow, !carry else { return nil }
                number = sum
                digits += 1
            } else if byte != 32, byte != 9, byte != 13, byte != 10 {
                return nil
            }
        }
        return digits > 0 ? number : nil
    }
}
