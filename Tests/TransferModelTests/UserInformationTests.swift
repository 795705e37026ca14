import Testing

@testable import TransferModel

@Suite struct UserInformationTests {
    /// The login that `first` finds in a text.
    private func login(in text: String) -> String? {
        let bytes = Array(text.utf8)
        return UserInformation.first(in: bytes.span).map {
            String(decoding: bytes[$0], as: UTF8.self)
        }
    }

    /// The login that `ofReference` finds in a URL.
    private func login(ofReference text: String) -> String? {
        let bytes = Array(text.utf8)
        return UserInformation.ofReference(bytes.span).map {
            String(decoding: bytes[$0], as: UTF8.self)
        }
    }

    @Test(arguments: [
        ("see https://user:pass@host/", "user:pass"), ("https:/user:pass@host", "user:pass"),
        ("//user:p@ss@host", "user:p@ss"), (#"https:\/\/user:pass@host"#, "user:pass"),
        ("https://host/path@x", nil), ("mail user@host", nil), ("a/b@c", nil),
    ])
    func `a login stands between the slashes and the last @`(text: String, login: String?) {
        #expect(self.login(in: text) == login)
    }

    @Test(arguments: [
        ("https://user:pas…", "user:pas"), ("see //user:pas…", "user:pas"),
        ("https://host/pa…", nil), ("https://host?q…", nil),
    ])
    func `an authority that was cut may be a login`(text: String, login: String?) {
        #expect(self.login(in: text) == login)
    }

    @Test(arguments: [
        ("http:user:pass@host", "user:pass"), ("HTTPS:user@host", "user"),
        ("mailto:user@host", nil), ("path@x", nil),
    ])
    func `a reference may lack the slashes of http and https`(text: String, login: String?) {
        #expect(self.login(ofReference: text) == login)
    }

    @Test func `an authority is open from its first slash until it ends for certain`() {
        for text in [
            "x https://user:pa@ss@host/", #"x https:\/\/us\er@host/"#, "x https:/user@host/",
            "x //user@host/",
        ] {
            let bytes = Array(text.utf8)
            let start = text.contains(":") && !text.hasPrefix("x //") ? 7 : 2
            for count in start + 2..<bytes.count {
                let open = UserInformation.openAuthority(
                    in: bytes.span.extracting(first: count),
                    within: 100
                )
                #expect(open.map { $0 <= start + 1 } == true, "\(text) \(count)")
            }
            #expect(UserInformation.openAuthority(in: bytes.span, within: 100) == nil)
        }
    }
}
