import Testing

@testable import Transfer

@Suite struct StreamTrustTests {
    private static let careful = StreamTrust(detectsCuts: false)
    private static let trusting = StreamTrust(detectsCuts: true)

    @Test(arguments: [
        ("GET", false, true, true), ("HEAD", false, true, true), ("GET", true, true, false),
        ("GET", false, false, false), ("PUT", true, true, false), ("DELETE", false, true, false),
        ("OPTIONS", false, true, false), ("POST", true, true, false),
    ])
    func `only a request that may be fetched again uses a stream of a doubtful libcurl`(
        method: String,
        carriesBody: Bool,
        mayRepeat: Bool,
        mayCarry: Bool
    ) {
        func decide(_ trust: StreamTrust) -> Bool {
            trust.mayCarry(method, carriesBody: carriesBody, mayRepeat: mayRepeat)
        }
        #expect(decide(Self.careful) == mayCarry)
        #expect(decide(Self.trusting))
    }

    @Test(arguments: ["h2", "h3", nil])
    func `a body without evidence of its end does not come over a doubtful stream`(
        protocolName: String?
    ) {
        let none = StreamTrust.Evidence()
        #expect(!Self.careful.accepts(none, over: protocolName))
        #expect(Self.trusting.accepts(none, over: protocolName))
        for evidence: StreamTrust.Evidence in [
            .init(hasNoBody: true), .init(hasLength: true), .init(isVerified: true),
        ] {
            #expect(Self.careful.accepts(evidence, over: protocolName))
        }
    }

    @Test(arguments: ["http/1.0", "http/1.1"])
    func `HTTP/1 needs no evidence`(protocolName: String) {
        #expect(Self.careful.accepts(.init(), over: protocolName))
    }
}
