import Testing
import TransferModel

@testable import Transfer

/// The signatures are those of botocore 1.43 and 1.44, and where a case is named after one, of
/// AWS's own suite.
@Suite struct AWSSignatureTests {
    struct Vector: Sendable {
        var method = "GET"
        var url: String
        var service = "service"
        var headers: [HeaderField] = []
        var body = ""
        var token: Secret?
        var signed = "host;x-amz-date"
        var signature: String
    }

    private static let vectors = [
        // get-vanilla
        Vector(
            url: "https://example.amazonaws.com/",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
        ),
        // The same request to another server.
        Vector(
            url: "https://192.0.2.1:8443/",
            headers: [HeaderField(name: "Host", value: "example.amazonaws.com")],
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
        ),
        // get-slash-dot-slash, get-relative
        Vector(
            url: "https://example.amazonaws.com/./example/%2e%2E",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
        ),
        // get-slash-pointless-dot
        Vector(
            url: "https://example.amazonaws.com/./example",
            signature: "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"
        ),
        // get-slashes
        Vector(
            url: "https://example.amazonaws.com//example//",
            signature: "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"
        ),
        // get-unreserved
        Vector(
            url: "https://example.amazonaws.com/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                + "abcdefghijklmnopqrstuvwxyz",
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"
        ),
        // Not get-utf8, which has bytes on the wire that are escaped here.
        Vector(
            url: "https://EXAMPLE.amazonaws.com/\u{1234}",
            signature: "697b34846207a3f72246f99d74ae1ee4fe54f44bb06730c58a0d339eb079596d"
        ),
        // get-vanilla-query-order-key-case
        Vector(
            url: "https://example.amazonaws.com/?Param2=value2&Param1=value1",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
        ),
        // post-vanilla
        Vector(
            method: "POST",
            url: "https://example.amazonaws.com/",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
        ),
        Vector(
            url: "https://example.amazonaws.com/%c3%a9/%7ex",
            signature: "0d8b6fc43bab83ae7411be62068d61c9c493b8e2268ae61a87726c7da71488bb"
        ),
        Vector(
            url: "https://b.s3.example.com/%c3%a9/%7Ex?prefix=%c3%A9",
            service: "s3",
            signed: "host;x-amz-content-sha256;x-amz-date",
            signature: "a1c6f3de13feee1da01e7f279d47b1802d0eee4be090530e92be072836e16c58"
        ),
        Vector(
            url: "https://b.s3.example.com/a//b",
            service: "s3",
            signed: "host;x-amz-content-sha256;x-amz-date",
            signature: "eae5bd1498532d6f28a046ef2a663b9fba24f51bae5c0b75c0d7fadce7c8055b"
        ),
        Vector(
            method: "POST",
            url: "https://example.amazonaws.com",
            body: "hello",
            signature: "7f7bb8f1792791717128dca6000abffccddad65c8b3b30f0a02b1a0890a7b7ee"
        ),
        Vector(
            url: "https://example.amazonaws.com/?Param2=value2&Param1=value1&Param1=a&acl#x",
            signature: "6df678255c5b092b48e9c29ffe9f4de24db479f4ce48a6d7784b1747963c3168"
        ),
        Vector(
            url: "https://example.amazonaws.com/a%20b/c~d/%E1%88%B4",
            signature: "6dafb2cff80a00031a48026ef8c7af1d126345c7855e869defc86e20453a1c39"
        ),
        Vector(
            url: "https://b.s3.example.com:8443/a%20b/c~d/%E1%88%B4?list-type=2&prefix=a%2Fb",
            service: "s3",
            signed: "host;x-amz-content-sha256;x-amz-date",
            signature: "d51015a720bcca09f13adc33285e840a4fa65b021f43fc36cee287216867964f"
        ),
        Vector(
            method: "PUT",
            url: "https://b.s3.example.com:443/key",
            service: "s3",
            headers: [
                HeaderField(name: "X-Amz-Meta-A", value: "  one  two "),
                HeaderField(name: "Content-Type", value: "text/plain"),
            ],
            body: "hello",
            signed: "host;x-amz-content-sha256;x-amz-date;x-amz-meta-a",
            signature: "60743f72caa80711b277f988d2194aecb7b8019cae5632bbae3738c1dc12bb08"
        ),
        Vector(
            method: "PUT",
            url: "https://b.s3.example.com/key",
            service: "s3",
            body: "hello",
            token: Secret("the/token=="),
            signed: "host;x-amz-content-sha256;x-amz-date;x-amz-security-token",
            signature: "86e0cac6cc3e4f1b4813cf3e73faa41b6a0d5cdd2346fb263c591a70cf24efdc"
        ),
        Vector(
            url: "https://b.s3.example.com/pool/g++-1+2_(a)!*'.deb",
            service: "s3",
            signed: "host;x-amz-content-sha256;x-amz-date",
            signature: "c89181c0d06a0dd5738ccc7d1528924a851c2a3c5126a4cf64ab2e9d8473dc6d"
        ),
        Vector(
            url: "https://b.s3.example.com/a%2fb=c",
            service: "s3",
            signed: "host;x-amz-content-sha256;x-amz-date",
            signature: "3d24002a08650cbf3ad124fa75532b2fe36280dc0b6b532054f088a8a6800735"
        ),
        Vector(
            url: "https://b.s3.example.com/?prefix=a+b%2bc/d&marker=:@",
            service: "s3",
            signed: "host;x-amz-content-sha256;x-amz-date",
            signature: "a22c4f221b7f66fa0e4dbb0cb7ff8fbc90e38b1d32ef802dd1d4dff3dd960d7e"
        ),
        Vector(
            url: "https://example.amazonaws.com/g++/a:b?x=a+b,c",
            signature: "9d11393a7ecc1fe036e8826ec483851c56d95fdc02b3de91f9b2eb66b2d39631"
        ),
    ]

    @Test(arguments: vectors)
    func `a request is signed as AWS's own clients sign it`(vector: Vector) throws {
        let signature = AWSSignature(
            credential: AWSCredential(
                accessKey: "AKIDEXAMPLE",
                secretKey: Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
                sessionToken: vector.token,
                region: "us-east-1",
                service: vector.service
            )
        )
        let request = RequestSpec(
            method: vector.method,
            url: try TransferURL(vector.url).signable,
            headers: vector.headers
        )
        let fields = try #require(
            signature.fields(
                for: request,
                .bytes(Array(vector.body.utf8)),
                at: Timestamp(microseconds: 1_440_938_160_000_000)
            )
        )
        #expect(fields.first == HeaderField(name: "x-amz-date", value: "20150830T123600Z"))
        #expect(
            fields.last?.value
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/\(vector.service)/"
                + "aws4_request, SignedHeaders=\(vector.signed), Signature=\(vector.signature)"
        )
    }

    @Test func `a body that is not in memory goes unsigned`() throws {
        let signature = AWSSignature(
            credential: AWSCredential(
                accessKey: "A",
                secretKey: Secret("secret"),
                sessionToken: nil,
                region: "r",
                service: "s3"
            )
        )
        let request = RequestSpec(
            method: "PUT",
            url: try TransferURL("https://a.example/"),
            headers: []
        )
        let fields = try #require(
            signature.fields(for: request, .unsigned, at: Timestamp(microseconds: 0))
        )
        let said = fields.filter { $0.name == "x-amz-content-sha256" }.map(\.value)
        #expect(said == ["UNSIGNED-PAYLOAD"])
    }
}
