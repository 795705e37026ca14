import Testing
import TransferModel

@testable import Transfer

@Suite struct ResumeOfferTests {
    private static let offer = ResumeOffer(offset: 5, total: 10, validator: .entityTag("\"a\""))

    @Test func `the rest is requested with If-Range`() {
        #expect(
            Self.offer.fields == [
                HeaderField(name: "Range", value: "bytes=5-"),
                HeaderField(name: "If-Range", value: "\"a\""),
            ]
        )
        #expect(
            ResumeOffer(offset: 5, total: 10, validator: nil).fields
                == [HeaderField(name: "Range", value: "bytes=5-")]
        )
    }

    // RFC 9110 §14.4, §15.3.7, §15.5.13, §15.5.17
    @Test(
        arguments: [
            (206, ["Content-Range: bytes 5-9/10", "ETag: \"a\""], 5, .rest(end: 10)),
            (206, ["Content-Range: bytes 5-9/10", "ETag: \"a\""], nil, .rest(end: 10)),
            (206, ["Content-Range: bytes 5-7/10", "ETag: \"a\""], 3, .rest(end: 8)),
            (
                206, ["Content-Range: bytes 5-9/10", "ETag: \"b\""], 5,
                .unusable("a part with another validator")
            ),
            (206, ["Content-Range: bytes 5-9/10"], 5, .unusable("a part with another validator")),
            (
                206, ["Content-Range: bytes 4-9/10", "ETag: \"a\""], 6,
                .unusable("a part from another position")
            ),
            (
                206, ["Content-Range: bytes 0-9/10", "ETag: \"a\""], 10,
                .unusable("a part from another position")
            ),
            (
                206, ["Content-Range: bytes 5-9/11", "ETag: \"a\""], 5,
                .unusable("a part of another length")
            ),
            (
                206, ["Content-Range: bytes 5-9/*", "ETag: \"a\""], 5,
                .unusable("a part of another length")
            ),
            (
                206, ["Content-Range: bytes 5-9/10", "ETag: \"a\""], 4,
                .unusable("a part whose Content-Length is not that of its range")
            ),
            (
                206, ["Content-Range: items 5-9/10", "ETag: \"a\""], 5,
                .unusable("a part without a usable Content-Range")
            ),
            (
                206, ["Content-Range: bytes */10", "ETag: \"a\""], 5,
                .unusable("a part without a usable Content-Range")
            ),
            (206, ["ETag: \"a\""], 5, .unusable("a part without a usable Content-Range")),
            (
                206, ["Content-Range: bytes 5-9/10", "Content-Range: bytes 0-4/10", "ETag: \"a\""],
                5, .unusable("a part without a usable Content-Range")
            ),
            (
                206, ["Content-Type: multipart/byteranges; boundary=x", "ETag: \"a\""], 99,
                .unusable("several parts")
            ),
            (
                206, ["Content-Range: bytes 5-9/10", "ETag: \"a\"", "Content-Encoding: gzip"], 5,
                .unusable("a part of a coded body")
            ),
            (
                206, ["Content-Range: bytes 5-9/10", "ETag: \"a\"", "Content-Encoding: identity"],
                5, .rest(end: 10)
            ),
            (200, ["ETag: \"b\""], 10, .whole),
            (200, [], nil, .whole),
            (
                200, ["Content-Range: bytes 5-9/10", "ETag: \"a\""], 5,
                .unusable("a 200 with a Content-Range")
            ),
            (412, [], 0, .unusable("the status 412")),
            (416, ["Content-Range: bytes */4"], 0, .unusable("the status 416")),
            (416, ["Content-Range: bytes */10", "ETag: \"a\""], 0, .unusable("the status 416")),
            (302, ["Location: /b"], 0, .unrelated),
            (401, [], 0, .unrelated),
            (404, [], 0, .unrelated),
            (503, [], 0, .unrelated),
        ] as [(Int, [String], Int64?, ResumeAnswer)]
    )
    func `a range response is used only if all of it matches`(
        status: Int,
        fields: [String],
        length: Int64?,
        answer: ResumeAnswer
    ) {
        var lines = HeaderFields()
        for field in fields { lines.append(line: Array(field.utf8).span) }
        let head = ResponseHead(statusCode: status, fields: lines)
        #expect(ResumeAnswer.judge(head, contentLength: length, to: Self.offer) == answer)
    }

    // RFC 9110 §13.1.1
    @Test(
        arguments: [
            (["ETag: \"a\""], 10, false, ["Range: bytes=5-", "If-Match: \"a\""]),
            (["ETag: \"a\""], 10, true, ["Range: bytes=5-", "If-Match: \"a\""]),
            (["ETag: \"b\""], 10, true, ["Range: bytes=5-"]), ([], 10, true, ["Range: bytes=5-"]),
            (["ETag: \"b\""], 10, false, nil), ([], 10, false, nil),
            (["ETag: \"a\""], 11, true, nil),
            (["ETag: \"a\"", "Accept-Ranges: none"], 10, true, nil),
            (["ETag: \"a\"", "Content-Encoding: br"], 10, true, nil),
        ] as [([String], Int64, Bool, [String]?)]
    )
    func `a range that is dropped because of If-Range is requested once more without it`(
        fields: [String],
        length: Int64,
        hasChecksum: Bool,
        sent: [String]?
    ) {
        var lines = HeaderFields()
        for field in fields { lines.append(line: Array(field.utf8).span) }
        let head = ResponseHead(statusCode: 200, fields: lines)
        let next = Self.offer.withoutIfRange(
            after: head,
            contentLength: length,
            hasChecksum: hasChecksum
        )
        #expect(next?.fields.map { "\($0.name): \($0.value)" } == sent)
        let last = next?.withoutIfRange(
            after: head,
            contentLength: length,
            hasChecksum: hasChecksum
        )
        #expect(last == nil)
    }

    @Test func `a mirror is checked by its length alone, a checksum decides the rest`() {
        let offer = ResumeOffer(offset: 5, total: 10, validator: nil)
        var fields = HeaderFields()
        fields.append(line: Array("Content-Range: bytes 5-9/10".utf8).span)
        fields.append(line: Array("ETag: \"other\"".utf8).span)
        let head = ResponseHead(statusCode: 206, fields: fields)
        #expect(ResumeAnswer.judge(head, contentLength: 5, to: offer) == .rest(end: 10))
    }
}
