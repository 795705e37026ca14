import Testing
import TransferModel

@testable import Transfer

@Suite struct DigestAnswerTests {
    private static func answer(
        _ challenge: String,
        user: String = "Mufasa",
        password: String = "Circle of Life",
        target: String = "/dir/index.html"
    ) -> String? {
        let fields = HeaderFields([HeaderField(name: "WWW-Authenticate", value: challenge)])
        return Challenge.all(in: fields, named: "www-authenticate").first.flatMap {
            DigestAnswer(
                $0,
                user: user,
                password: password,
                clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
            )
        }?.fieldValue(method: "GET", target: target)
    }

    private static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    private static let opaque = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"

    // RFC 7616 §3.9.1; the `-sess` forms by Python's hashlib.
    @Test(
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
            ("MD5-sess", "e783283f46242139c486a698fec7211d"),
            ("SHA-256-sess", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
        ]
    )
    func `each algorithm gives the response of the standard`(algorithm: String, response: String) {
        let value = Self.answer(
            "Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", "
                + "algorithm=\(algorithm), nonce=\"\(Self.nonce)\", opaque=\"\(Self.opaque)\""
        )
        #expect(
            value == "Digest username=\"Mufasa\", realm=\"http-auth@example.org\", "
                + "nonce=\"\(Self.nonce)\", uri=\"/dir/index.html\", "
                + "cnonce=\"f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ\", nc=00000001, qop=auth, "
                + "response=\"\(response)\", algorithm=\(algorithm), opaque=\"\(Self.opaque)\""
        )
    }

    // RFC 2069 §2.4, with the response of its erratum 749.
    @Test func `a server without a quality of protection gets the older response`() {
        let value = Self.answer(
            "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\"",
            password: "CircleOfLife"
        )
        #expect(value?.hasSuffix("response=\"1949323746fe6a43ef61f9606e7febea\"") == true)
        #expect(value?.contains("cnonce") == false && value?.contains("qop") == false)
    }

    @Test func `quotation marks are escaped, and texts that no field can hold have no answer`() {
        let value = Self.answer(#"Digest realm="a \"b\" \\", nonce="n""#, user: #"m"e"#)
        #expect(value?.hasPrefix(#"Digest username="m\"e", realm="a \"b\" \\", nonce="n""#) == true)
        #expect(Self.answer("Digest realm=\"r\"") == nil)
        #expect(Self.answer("Digest realm=\"r\", nonce=\"n\"", user: "a\r\nX: y") == nil)
        #expect(Self.answer("Digest realm=\"r\", nonce=\"a\tb\"") == nil)
    }
}
