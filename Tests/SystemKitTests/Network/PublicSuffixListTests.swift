import SystemKit
import Testing

@Suite struct PublicSuffixListTests {
    @Test(arguments: [
        ("com", true), ("co.uk", true), ("github.io", true), ("example.com", false),
        ("www.co.uk", false), ("localhost", true), ("a.localhost", false),
        ("xn--55qx5d.cn", true), ("anything.ck", true), ("www.ck", false),
    ])
    func `the list has rules, wildcards and exceptions`(name: String, isPublic: Bool) {
        #expect(PublicSuffixList.isPublicSuffix(name) == isPublic)
    }
}
