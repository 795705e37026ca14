import Testing
import TransferModel

@Suite struct ResponseHeadTests {
    @Test(
        arguments: [
            ("text/HTML; charset=utf-8", "text/html"), ("application/json", "application/json"),
            ("text/plain,text/html", "text/plain"), ("text/plain ;x", "text/plain"), ("", nil),
            (";", nil),
        ] as [(String, String?)]
    )
    func `the MIME type is the essence in lower case`(value: String, type: String?) {
        let fields = HeaderFields([HeaderField(name: "Content-Type", value: value)])
        #expect(ResponseHead(statusCode: 200, fields: fields).mimeType == type)
    }

    @Test func `a head without a content type has no MIME type`() {
        #expect(ResponseHead(statusCode: 204).mimeType == nil)
    }
}
