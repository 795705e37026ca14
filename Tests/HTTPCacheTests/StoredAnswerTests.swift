import Testing
import TransferModel

@testable import HTTPCache

// RFC 9110 §13.2.2, RFC 9111 §4.3.2
@Suite struct StoredAnswerTests {
    private let tagged = sample("ETag: \"a\"", "Last-Modified: \(dayEarlier)", "Date: \(startDate)")

    @Test(arguments: [
        "If-None-Match: \"a\"", "If-None-Match: W/\"a\"", "If-None-Match: \"x,\", \"a\"",
        "If-None-Match: *", "If-Modified-Since: \(dayEarlier)", "If-Modified-Since: \(startDate)",
    ])
    func `a named validator is enough`(condition: String) throws {
        for method in ["GET", "HEAD"] {
            let request = try request(condition, method: method)
            #expect(StoredAnswer(to: request, with: tagged) == .notModified)
        }
    }

    @Test(arguments: [
        "If-None-Match: \"b\"", "If-None-Match: a", "If-None-Match: ",
        "If-Modified-Since: Fri, 04 Nov 1994 08:49:37 GMT", "If-Modified-Since: yesterday",
        "If-Range: \"b\"",
    ])
    func `other validators get the whole response`(condition: String) throws {
        #expect(StoredAnswer(to: try request(condition), with: tagged) == .whole)
    }

    @Test func `an entity tag takes precedence over a date`() throws {
        let request = try request("If-None-Match: \"b\"", "If-Modified-Since: \(startDate)")
        #expect(StoredAnswer(to: request, with: tagged) == .whole)
    }

    @Test func `without Last-Modified the time of the response counts`() throws {
        let response = sample("Date: \(startDate)")
        let same = try request("If-Modified-Since: \(startDate)")
        #expect(StoredAnswer(to: same, with: response) == .notModified)
        let earlier = try request("If-Modified-Since: \(dayEarlier)")
        #expect(StoredAnswer(to: earlier, with: response) == .whole)
    }

    @Test func `conditions do not change other statuses`() throws {
        let missing = sample("ETag: \"a\"", status: 404)
        let request = try request("If-None-Match: \"a\"")
        #expect(StoredAnswer(to: request, with: missing) == .whole)
    }

    @Test(arguments: [
        ("\"a\"", true), (dayEarlier, true), ("\"b\"", false), ("W/\"a\"", false),
        (startDate, false), ("", false),
    ])
    func `a range is given if the validator is the stored one`(value: String, gives: Bool) throws {
        let request = try request("Range: bytes=2-4", "If-Range: \(value)")
        let part = try #require(ByteRange("bytes=2-4", of: 7))
        let answer = StoredAnswer(to: request, with: tagged)
        #expect(answer == (gives ? .part(part) : .whole))
    }

    @Test func `weak validators give no ranges`() throws {
        let weak = sample("ETag: W/\"a\"", "Last-Modified: \(startDate)", "Date: \(startDate)")
        for value in ["W/\"a\"", "\"a\"", startDate] {
            let request = try request("Range: bytes=2-4", "If-Range: \(value)")
            #expect(StoredAnswer(to: request, with: weak) == .whole)
        }
    }

    @Test func `a 304 has the fields of the response, none of the body`() {
        let whole = ResponseHead(
            statusCode: 200,
            fields: headerFields([
                "ETag: \"a\"", "Content-Type: text/plain", "Vary: Accept", "Vary: X",
                "Content-Length: 7", "Set-Cookie: a=b",
            ])
        )
        let head = StoredAnswer.notModified.head(of: whole, length: 7)
        #expect(head.statusCode == 304)
        #expect(head.fields == headerFields(["ETag: \"a\"", "Vary: Accept", "Vary: X"]))
    }
}
