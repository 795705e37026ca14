import Testing

@testable import Plan

@Suite struct MediaTypeTextTests {
    @Test(arguments: ["text/csv", "text/csv; charset=utf-8", "Application/X+json ;a=\"b c\""])
    func `a type is kept as it is written`(text: String) throws {
        #expect(try MediaTypeText.parse(text) == text)
    }

    @Test(arguments: [
        "", "text", "text/", "/csv", "text/csv, text/plain", "text/csv charset=utf-8", "a/b/c",
        "text/csv;\r\nX: y", "text/ csv",
    ])
    func `anything else is refused`(text: String) {
        #expect(throws: ValueFault.self) { try MediaTypeText.parse(text) }
    }
}
