import Testing
import TransferModel

@testable import Transfer

@Suite struct TransferURLSignatureTests {
    private static let amazon =
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=k&X-Amz-Date=1&X-Amz-Expires=9"
        + "&X-Amz-SignedHeaders=host&X-Amz-Signature="

    @Test(arguments: [
        ("", ""), ("?id=1", "?id=1"), ("?id=1#f", "?id=1"), ("?", ""),
        ("?id=1&\(amazon)aa", "?id=1"), ("?\(amazon)aa&versionId=2", "?versionId=2"),
        ("?\(amazon)aa", ""), ("?X-Amz-Signature=aa", "?X-Amz-Signature=aa"),
        ("?X-Goog-Credential=k&X-Goog-Signature=a&generation=1", "?generation=1"),
        ("?sv=2024&se=1&sr=b&sp=r&sig=a%3D&snapshot=5", "?snapshot=5"),
        ("?sv=2024&se=1&sig=a%3D&jwt=a.b.c", ""), ("?jwt=a.b.c", "?jwt=a.b.c"),
        ("?sp=1&st=2&sr=3", "?sp=1&st=2&sr=3"), ("?sig=1&id=2", "?sig=1&id=2"),
        ("?Expires=1&Signature=a&Key-Pair-Id=K&id=7", "?id=7"),
        ("?Policy=p&Signature=a&Key-Pair-Id=K", ""),
        ("?Expires=1&Signature=a", "?Expires=1&Signature=a"),
        ("?AWSAccessKeyId=k&Expires=1&Signature=a", ""),
        ("?GoogleAccessId=k&Expires=1&Signature=a&id=1", "?id=1"),
        ("?token=a", "?token=a"), ("?id=1&id=2", "?id=1&id=2"),
    ])
    func `only a known signature may differ between answers of one resource`(
        query: String,
        kept: String
    ) throws {
        let url = try TransferURL("https://a.example:8443/x" + query)
        #expect(url.withoutSignature == "https://a.example:8443/x" + kept)
        #expect(url.resource(under: .entityTag("\"1\"")) == url.withoutSignature)
        let hash = ResumeValidator.entityTag("\"d41d8cd98f00b204e9800998ecf8427e\"")
        #expect(url.resource(under: hash) == "https://a.example:8443/x")
    }

    @Test(arguments: [
        ("\"d41d8cd98f00b204e9800998ecf8427e\"", true), ("\"0x8D4BCC2E4835CD0\"", true),
        ("\"9b2cf535f27731c974343645a3985328-12\"", true),
        ("\"{0A5B6C7D-1234-4ABC-9DEF-0123456789AB}\"", true), ("\"1\"", false),
        ("\"1700000000000000\"", false), ("\"65a1b2c3-2dc6c0abc\"", false),
        ("\"1e8480-5f1b2c3d4e5f6\"", false), ("\"xxxxxxxxxxxxxxxxxxxxa\"", false),
    ])
    func `a hash or a GUID in an entity tag is unique, a counter or a time is not`(
        tag: String,
        isUnique: Bool
    ) {
        #expect(ResumeValidator.entityTag(tag).isUnique == isUnique)
    }
}
