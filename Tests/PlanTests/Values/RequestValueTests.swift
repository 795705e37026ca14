import TransferModel
import Testing

@testable import Plan

@Suite struct RequestValueTests {
    @Test(arguments: ["GET", "HEAD", "PROPFIND", "x-custom", "M-SEARCH"])
    func `a method is a token`(text: String) throws {
        #expect(try MethodText.parse(text) == text)
    }

    @Test(arguments: ["", "GET ", "GE\nT", "G:T", "ÄT", "CONNECT", "connect", "post"])
    func `an invalid method is an error`(text: String) {
        let fault = #expect(throws: ValueFault.self) { try MethodText.parse(text) }
        #expect(fault?.code == .badMethod)
    }

    @Test(arguments: [
        ("https://a.example/", true), ("https://a.example/x", true), ("http://a?q=", true),
        ("http://a#", true), ("https://a.example", false), ("https://", false), ("https:/", false),
        ("", false), ("/path/", false),
    ])
    func `the beginning of a URL determines its origin after a whole host`(
        front: String,
        hasOrigin: Bool
    ) {
        #expect(URLText.hasOrigin(front[...]) == hasOrigin)
    }

    @Test(arguments: [("200", 200...200), ("200-299", 200...299), ("100-599", 100...599)])
    func `a status is a code or a range`(text: String, expected: ClosedRange<Int>) throws {
        #expect(try StatusText.parse(text) == expected)
    }

    @Test(arguments: [
        "", "-", "20", "2000", "200-", "-299", "200-299-300", "+20", "0x64", "99", "600", "300-200",
    ])
    func `an invalid status is an error`(text: String) {
        let fault = #expect(throws: ValueFault.self) { try StatusText.parse(text) }
        #expect(fault?.code == .badStatus)
    }

    @Test(arguments: [
        ("application/json", "application/json"), ("Image/*", "image/*"), ("a/b+c", "a/b+c"),
    ])
    func `a MIME type is compared in lower case`(text: String, expected: String) throws {
        #expect(try MIMETypeText.parse(text) == expected)
    }

    @Test(arguments: ["", "json", "a/", "/b", "a/b/c", "a b/c", "*/*", "a/b;c"])
    func `an invalid MIME type is an error`(text: String) {
        let fault = #expect(throws: ValueFault.self) { try MIMETypeText.parse(text) }
        #expect(fault?.code == .badMIMEType)
    }

    @Test(arguments: [(Checksum.Algorithm.sha256, 29), (.sha512, 61)])
    func `a checksum is its algorithm and its bytes`(
        algorithm: Checksum.Algorithm,
        rest: Int
    ) throws {
        let digits = "00FFab" + String(repeating: "7f", count: rest)
        let checksum = try ChecksumText.parse("\(algorithm.rawValue):\(digits)")
        let digest = [0x00, 0xFF, 0xAB] + [UInt8](repeating: 0x7F, count: rest)
        #expect(checksum == Checksum(algorithm, digest: digest))
    }

    @Test(arguments: ["", "sha256", "sha256:", "sha256:zz", "SHA256:00", "sha512:00"])
    func `an invalid checksum is an error`(text: String) {
        let fault = #expect(throws: ValueFault.self) { try ChecksumText.parse(text) }
        #expect(fault?.code == .badChecksum)
    }

    @Test(arguments: [("abc", #""abc""#), (#"a"b\c"#, #""a\"b\\c""#), ("a b ", #""a b ""#)])
    func `an idempotency key is a quoted string`(text: String, expected: String) throws {
        #expect(try IdempotencyKeyText.parse(text) == expected)
    }

    @Test(arguments: ["", " ", "\"\"", "a\nb", "é", "\u{7F}"])
    func `a key that no structured field can hold is refused`(text: String) {
        #expect(throws: ValueFault.self) { try IdempotencyKeyText.parse(text) }
    }

    @Test(arguments: ["X-A", "x", "!#$%&'*+-.^_`|~09az"])
    func `a header name is a token`(name: String) throws {
        try HeaderRule.checkName(name, inSession: true)
    }

    @Test(arguments: ["", "X Y", "X:", "X\n", "é", "(a)", "a/b", "[x]"])
    func `a header name that is no token is refused`(name: String) {
        let fault = #expect(throws: ValueFault.self) {
            try HeaderRule.checkName(name, inSession: false)
        }
        #expect(fault?.code == .badHeader)
    }

    @Test(arguments: ["tab\there", "é", ""])
    func `a header value may have anything but controls`(value: String) throws {
        try HeaderRule.checkValue(value)
    }

    @Test(arguments: ["a\nb", "a\rb", "a\0b", "\u{7F}", "\u{1B}[0m"])
    func `a header value with a control is refused`(value: String) {
        let fault = #expect(throws: ValueFault.self) { try HeaderRule.checkValue(value) }
        #expect(fault?.code == .badHeader)
    }
}
