import Testing
import TransferModel

@Suite struct TransferURLReferenceTests {
    @Test(
        arguments: [
            ("http://b.test/x", "http://b.test/x"), ("//b.test/x", "https://b.test/x"),
            ("/x?y", "https://a.test:8443/x?y"), ("x", "https://a.test:8443/d/x"),
            ("x/y", "https://a.test:8443/d/x/y"), ("?q", "https://a.test:8443/d/e?q"),
            ("", "https://a.test:8443/d/e?f=g"), ("#h", "https://a.test:8443/d/e?f=g"),
            ("/x#h", "https://a.test:8443/x"), ("../x", "https://a.test:8443/d/../x"),
            ("ftp://a.test/", nil), ("mailto:x", nil), ("http:x", nil), ("/a b", nil),
            ("a/b:c", "https://a.test:8443/d/a/b:c"),
        ] as [(String, String?)]
    )
    func `a reference is resolved against its own URL`(
        reference: String,
        target: String?
    ) throws {
        let url = try TransferURL("https://a.test:8443/d/e?f=g#h")
        #expect(url.resolving(reference)?.text == target)
    }

    @Test func `a URL without a path has the root`() throws {
        let url = try TransferURL("http://a.test")
        #expect(url.resolving("x")?.text == "http://a.test/x")
        #expect(url.resolving("?q")?.text == "http://a.test/?q")
    }
}
