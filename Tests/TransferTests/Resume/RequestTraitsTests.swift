import Testing
import TransferModel

@testable import Transfer

@Suite struct RequestTraitsTests {
    private static func digest(_ fields: [(String, String)], _ proofs: [Credential.Proof] = [])
        -> String?
    {
        RequestTraits(
            fields.map { HeaderField(name: $0.0, value: $0.1) },
            proofs.map { Credential(space: ProtectionSpace(scope: .none), proof: $0) }
        ).digest("salt")
    }

    @Test(arguments: [
        "Accept", "Accept-Language", "Authorization", "Cookie", "User-Agent", "X-Tenant",
    ])
    func `another value of a field makes another request`(name: String) {
        let digests = [Self.digest([]), Self.digest([(name, "a")]), Self.digest([(name, "b")])]
        #expect(Set(digests).count == 3)
    }

    @Test(arguments: [
        "Date", "Idempotency-Key", "traceparent", "tracestate", "X-Amz-Date", "X-Request-ID",
        "X-Correlation-ID",
    ])
    func `a field that is new in every run keeps the request the same`(name: String) {
        #expect(Self.digest([("Accept", "a"), (name, "1")]) == Self.digest([("Accept", "a")]))
    }

    @Test func `neither order nor case of the names counts`() {
        #expect(
            Self.digest([("Accept", "a"), ("accept-language", "de")])
                == Self.digest([("Accept-Language", "de"), ("ACCEPT", "a")])
        )
    }

    @Test func `another credential makes another request`() {
        let logins = [("u", "p"), ("v", "p"), ("u", "q")].map {
            Login(user: $0.0, password: Secret($0.1))
        }
        let digests =
            logins.flatMap { [Self.digest([], [.basic($0)]), Self.digest([], [.digest($0)])] }
            + ["a", "b"].map { Self.digest([], [.bearer(Secret($0))]) } + [Self.digest([])]
        #expect(Set(digests).count == 9)
    }

    @Test func `with a checksum request fields do not matter`() {
        let checksum = TaskSpec.ExpectedChecksum.digest(Checksum(.sha256, digest: [1]))
        let field = HeaderField(name: "Authorization", value: "Bearer x")
        #expect(
            RequestTraits([field], [], checksum).digest("salt")
                == RequestTraits([], [], checksum).digest("salt")
        )
    }

    @Test func `another checksum makes another request`() {
        let digests = [UInt8(1), 2].map { byte in
            let digest = Array(repeating: byte, count: 32)
            return RequestTraits([], [], .digest(Checksum(.sha256, digest: digest))).digest("salt")
        }
        #expect(Set(digests + [RequestTraits([]).digest("salt")]).count == 3)
    }
}
