import Testing
import TransferModel

@testable import Transfer

@Suite struct SegmentRequestTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    private static func unusable(_ reason: String) -> SegmentAnswer { .unusable(reason) }
    private static let validatorDiffers = unusable("a part with another validator")
    private static let totalDiffers = unusable("a part of another length")
    private static let lengthDiffers = unusable(
        "a part whose Content-Length is not that of its range"
    )

    private static func request(_ validator: ResumeValidator?) -> SegmentRequest {
        SegmentRequest(range: 4..<8, total: 10, validator: validator)
    }

    private static func head(_ status: Int, _ fields: [String]) -> ResponseHead {
        var lines = HeaderFields()
        for field in fields { lines.append(line: Array(field.utf8).span) }
        return ResponseHead(statusCode: status, fields: lines)
    }

    // RFC 9110 §13.1.5, §14.2
    @Test func `a segment is requested by its first and last byte, with a known validator`() {
        #expect(
            Self.request(.entityTag("\"a\"")).fields == [
                HeaderField(name: "Range", value: "bytes=4-7"),
                HeaderField(name: "If-Range", value: "\"a\""),
            ]
        )
        #expect(Self.request(nil).fields == [HeaderField(name: "Range", value: "bytes=4-7")])
    }

    @Test(
        arguments: [
            (206, ["Content-Range: bytes 4-7/10", "ETag: \"a\""], 4, .part(end: 8)),
            (206, ["Content-Range: bytes 4-7/10", "ETag: \"a\""], nil, .part(end: 8)),
            (206, ["Content-Range: bytes 4-5/10", "ETag: \"a\""], 2, .part(end: 6)),
            (
                206, ["Content-Range: bytes 4-9/10", "ETag: \"a\""], 6,
                unusable("a part with more than the range")
            ),
            (
                206, ["Content-Range: bytes 3-7/10", "ETag: \"a\""], 5,
                unusable("a part from another position")
            ),
            (206, ["Content-Range: bytes 4-7/10", "ETag: \"a\""], 3, lengthDiffers),
            (206, ["Content-Range: bytes 4-7/10"], 4, validatorDiffers),
            (206, ["Content-Range: bytes 4-7/10", "ETag: W/\"a\""], 4, validatorDiffers),
            (206, ["Content-Range: bytes 4-7/10", "ETag: \"b\""], 4, validatorDiffers),
            (206, ["Content-Range: bytes 4-7/*", "ETag: \"a\""], 4, totalDiffers),
            (206, ["Content-Range: bytes 4-7/11", "ETag: \"a\""], 4, totalDiffers),
            (206, ["ETag: \"a\""], 4, unusable("a part without a usable Content-Range")),
            (
                206, ["Content-Range: bytes 4-7/10", "ETag: \"a\"", "Content-Encoding: gzip"], 4,
                unusable("a part of a coded body")
            ),
            (
                206, ["Content-Type: multipart/byteranges; boundary=x", "ETag: \"a\""], 99,
                unusable("several parts")
            ),
            (200, ["ETag: \"a\""], 10, unusable("the status 200")),
            (200, ["ETag: \"b\""], 11, unusable("the status 200")),
            (200, ["Content-Range: bytes 4-7/10"], 4, unusable("a 200 with a Content-Range")),
            (412, [], 0, unusable("the status 412")),
            (416, ["Content-Range: bytes */10"], 0, unusable("the status 416")),
            (302, ["Location: /b"], 0, .refusal),
            (404, [], 0, .refusal),
            (503, [], 0, .refusal),
        ] as [(Int, [String], Int64?, SegmentAnswer)]
    )
    func `a part is used only if all of it matches`(
        status: Int,
        fields: [String],
        length: Int64?,
        answer: SegmentAnswer
    ) {
        let request = Self.request(.entityTag("\"a\""))
        #expect(request.judge(Self.head(status, fields), contentLength: length) == answer)
    }

    @Test func `a mirror's first part may have any validator, because the file has a checksum`() {
        let range = "Content-Range: bytes 4-7/10"
        let other = Self.head(206, [range, "ETag: \"b\""])
        let bare = Self.head(206, [range])
        #expect(Self.request(nil).judge(other, contentLength: 4) == .part(end: 8))
        #expect(Self.request(nil).judge(bare, contentLength: 4) == .part(end: 8))
    }

    @Test func `a part may omit its date, but not state another one`() {
        let range = "Content-Range: bytes 4-7/10"
        let bare = Self.head(206, [range, "ETag: \"b\""])
        let date = ResumeValidator.lastModified(Self.date)
        #expect(Self.request(date).judge(bare, contentLength: 4) == .part(end: 8))
        let later = Self.head(206, [range, "Last-Modified: Mon, 07 Nov 1994 08:49:37 GMT"])
        #expect(Self.request(date).judge(later, contentLength: 4) == Self.validatorDiffers)
    }
}
