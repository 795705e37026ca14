import Testing
import TransferModel

@Suite struct CustomURLTests {
    @Test func `a URL keeps its text and compares by scheme and authority`() throws {
        let url = TransferURL(try CustomURL("Notes://Desk:7/a/ü?q=\"1\"#end"))
        #expect(url.text == "notes://Desk:7/a/%C3%BC?q=%221%22#end")
        #expect(url.origin.text == "notes://desk:7")
        #expect(url.schemeName == "notes" && url.isCustom && !url.isLocal)
        #expect(url.path == "/a/%C3%BC")
        #expect(url.query == "q=%221%22")
        #expect(TransferURL(try CustomURL("notes:///a")).origin.text == "notes://")
        #expect(TransferURL(try CustomURL("notes://desk")).path == "/")
    }

    @Test(
        arguments: [
            ("notes:/a", .notAbsolute), ("notes", .notAbsolute), ("1a://b", .notAbsolute),
            ("a_b://c", .notAbsolute), ("https://a/", .reservedScheme("https")),
            ("FILE:///a", .reservedScheme("file")), ("notes://u:p@desk/a", .userInformation),
            ("notes://desk/a b", .badCharacter(offset: 14)),
            ("notes://a\\b", .badCharacter(offset: 9)),
        ] as [(String, CustomURLFault)]
    )
    func `what is no such URL is refused`(text: String, fault: CustomURLFault) {
        #expect(throws: fault) { try CustomURL(text) }
    }
}
