import Testing
import TransferModel

@testable import Transfer

@Suite struct ResumeValidatorTests {
    private static let now = Timestamp(microseconds: 1_800_000_000_000_000)

    private static func head(_ fields: [String], status: Int = 200) -> ResponseHead {
        var lines = HeaderFields()
        for field in fields { lines.append(line: Array(field.utf8).span) }
        return ResponseHead(statusCode: status, fields: lines)
    }

    // RFC 9110 §8.8.1, §8.8.2.2
    @Test(arguments: [
        (["ETag: \"a\""], "\"a\""),
        (["ETag: \"\""], "\"\""),
        (["ETag: W/\"a\""], nil),
        (["ETag: a"], nil),
        (["ETag: \"a b\""], nil),
        (["ETag: \"é\""], nil),
        (["ETag: \"a\"", "ETag: \"b\""], nil),
        // A weak tag says that the bytes may differ, whatever the date says.
        (
            [
                "ETag: W/\"a\"", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT",
                "Date: Sun, 06 Nov 1994 09:49:37 GMT",
            ], nil
        ),
        (
            [
                "Last-Modified: Sun, 06 Nov 1994 08:48:37 GMT",
                "Date: Sun, 06 Nov 1994 08:49:37 GMT",
            ], "Sun, 06 Nov 1994 08:48:37 GMT"
        ),
        (
            [
                "Last-Modified: Sun, 06 Nov 1994 08:48:38 GMT",
                "Date: Sun, 06 Nov 1994 08:49:37 GMT",
            ], nil
        ),
        (["Last-Modified: Sun, 06 Nov 1994 08:48:37 GMT"], nil),
        (
            [
                "Last-Modified: Sun, 06 Nov 1994 08:48:37 GMT",
                "Last-Modified: Sun, 06 Nov 1994 08:47:37 GMT",
                "Date: Sun, 06 Nov 1994 08:49:37 GMT",
            ], nil
        ),
        (
            [
                "Last-Modified: Sun, 06 Nov 1994 08:48:37 GMT",
                "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Date: Sun, 06 Nov 1994 08:49:38 GMT",
            ], nil
        ),
        (["Last-Modified: yesterday", "Date: Sun, 06 Nov 1994 08:49:37 GMT"], nil),
        ([], nil),
    ])
    func `only a strong validator counts`(fields: [String], text: String?) {
        #expect(ResumeValidator(Self.head(fields), now: Self.now)?.text == text)
    }

    @Test(arguments: [
        (ResumeValidator.entityTag("\"a\""), ["ETag: \"a\""], true),
        (.entityTag("\"a\""), ["ETag: \"b\""], false),
        (.entityTag("\"a\""), ["ETag: W/\"a\""], false),
        (.entityTag("\"a\""), [], false),
        (.entityTag("\"a\""), ["ETag: \"a\"", "ETag: \"b\""], false),
        (.lastModified("x"), ["Last-Modified: x"], true),
        (.lastModified("x"), [], true),
        (.lastModified("x"), ["Last-Modified: y"], false),
    ])
    func `a range matches unless a field shows another whole file`(
        validator: ResumeValidator,
        fields: [String],
        matches: Bool
    ) {
        #expect(validator.matches(Self.head(fields, status: 206)) == matches)
    }
}
