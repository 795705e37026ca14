import Testing
import TransferModel

@Suite struct HeaderFieldOriginsTests {
    @Test(arguments: [
        ("Accept", true), ("ACCEPT-language", true), ("If-None-Match", true), ("user-agent", true),
        ("Range", true), ("Cache-Control", true), ("Authorization", false), ("Cookie", false),
        ("X-Api-Key", false), ("Accepted", false), ("Iffy", false), ("Referer", false),
    ])
    func `only fields that cannot be secret cross to another origin`(name: String, crosses: Bool) {
        #expect(HeaderField.crossesOrigins(name) == crosses)
    }
}
