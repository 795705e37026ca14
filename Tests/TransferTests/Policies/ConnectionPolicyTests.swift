import CurlKit
import Testing

@testable import Transfer

@Suite struct ConnectionPolicyTests {
    private static let died = "Connection died, tried 5 times before giving up"
    private static let refused = "no application protocol"
    private static let tlsFailure = CurlCode(rawValue: 35)
    private static let sendFailure = CurlCode(rawValue: 55)

    private func demand(
        newest: HTTPProtocol = .http2,
        isAlone: Bool = false,
        isUpload: Bool = false
    ) -> ConnectionPolicy.Demand {
        ConnectionPolicy.Demand(
            newestVersion: newest,
            isAlone: isAlone,
            isUpload: isUpload
        )
    }

    @Test func `a repeatable request offers all versions of HTTP`() {
        let policy = ConnectionPolicy(resolvesAnew: false)
        #expect(policy.version(for: demand()) == .http2)
        #expect(!policy.requiresFreshConnection)
    }

    @Test func `a hop keeps to HTTP/1.1 until the next hop begins`() {
        var policy = ConnectionPolicy(resolvesAnew: false)
        #expect(!policy.keepsToHTTP1)
        policy.keepToHTTP1()
        policy.beginExchange()
        #expect(policy.keepsToHTTP1)
        policy.beginHop()
        #expect(!policy.keepsToHTTP1)
    }

    @Test(arguments: [(true, false), (false, true)])
    func `a request sent once and an upload offer HTTP/1.1 alone`(
        isAlone: Bool,
        isUpload: Bool
    ) {
        let policy = ConnectionPolicy(resolvesAnew: false)
        #expect(policy.version(for: demand(isAlone: isAlone, isUpload: isUpload)) == .http1)
    }

    @Test func `a server that refuses HTTP/1.1 gets an offer of all versions once`() {
        var policy = ConnectionPolicy(resolvesAnew: false)
        let order = demand(isAlone: true)
        let lacks = policy.lacksVersion(order, after: Self.tlsFailure, detail: Self.refused)
        #expect(lacks)
        policy.resend()
        #expect(policy.version(for: order) == .http2)
        #expect(policy.requiresFreshConnection)
        #expect(!policy.isResent)
        let lacks2 = policy.lacksVersion(order, after: Self.tlsFailure, detail: Self.refused)
        #expect(!lacks2)
    }

    @Test func `a server without HTTP/1.1 is not offered versions that the session lacks`() {
        var policy = ConnectionPolicy(resolvesAnew: false)
        let order = demand(newest: .http1, isAlone: true)
        let lacks = policy.lacksVersion(order, after: Self.tlsFailure, detail: Self.refused)
        #expect(!lacks)
    }

    @Test func `another failure of TLS is not about versions`() {
        var policy = ConnectionPolicy(resolvesAnew: false)
        let order = demand(isAlone: true)
        let lacks = policy.lacksVersion(
            order,
            after: Self.tlsFailure,
            detail: "certificate expired"
        )
        #expect(!lacks)
        let lacks2 = policy.lacksVersion(order, after: Self.sendFailure, detail: Self.refused)
        #expect(!lacks2)
    }

    @Test
    func `a connection without a chosen version is dropped if a newer one is allowed`() {
        var policy = ConnectionPolicy(resolvesAnew: false)
        let order = demand(isAlone: true)
        let mayUse = policy.mayUseUnchosenVersion(order, isKnown: false)
        #expect(!mayUse)
        #expect(policy.lacksVersion && !policy.hasUnchosenVersion)
        policy.resend()
        let mayUseThen = policy.mayUseUnchosenVersion(order, isKnown: false)
        #expect(mayUseThen)
        #expect(!policy.lacksVersion && policy.hasUnchosenVersion)
    }

    @Test func `an origin known to choose no version keeps its connection`() {
        var policy = ConnectionPolicy(resolvesAnew: false)
        let mayUse = policy.mayUseUnchosenVersion(demand(isAlone: true), isKnown: true)
        #expect(mayUse)
        policy.beginExchange()
        #expect(!policy.hasUnchosenVersion)
    }

    @Test func `a request that libcurl abandoned is sent once more for each hop`() {
        var policy = ConnectionPolicy(resolvesAnew: false)
        func mayResend(_ code: CurlCode, _ detail: String?) -> Bool {
            policy.mayResend(after: code, detail: detail, detectsCuts: true)
        }
        #expect(mayResend(Self.sendFailure, Self.died))
        #expect(!mayResend(Self.sendFailure, "reset by peer"))
        #expect(!mayResend(Self.tlsFailure, Self.died))
        policy.resend()
        #expect(policy.requiresFreshConnection)
        #expect(!mayResend(Self.sendFailure, Self.died))
        policy.beginHop()
        #expect(mayResend(Self.sendFailure, Self.died))
    }

    @Test func `a request that GOAWAY left out is sent once more where libcurl does not`() {
        var policy = ConnectionPolicy(resolvesAnew: false)
        let code = CurlCode(rawValue: 16)
        #expect(policy.mayResend(after: code, detail: nil, detectsCuts: false))
        #expect(!policy.mayResend(after: code, detail: "nghttp2 error", detectsCuts: false))
        #expect(!policy.mayResend(after: code, detail: nil, detectsCuts: true))
        policy.resend()
        #expect(!policy.mayResend(after: code, detail: nil, detectsCuts: false))
    }

    @Test func `all versions stay offered in the next leg of an upload, not at the next URL`() {
        var policy = ConnectionPolicy(resolvesAnew: false)
        let upload = demand(isUpload: true)
        let lacks = policy.lacksVersion(upload, after: Self.tlsFailure, detail: Self.refused)
        #expect(lacks)
        policy.resend()
        policy.beginLeg()
        #expect(policy.version(for: upload) == .http2)
        policy.beginHop()
        #expect(policy.version(for: upload) == .http1)
    }

    @Test func `refused idle connections lead to a new one, for the running exchange`() {
        var policy = ConnectionPolicy(resolvesAnew: false)
        let isRefused = policy.refuseReuse()
        #expect(isRefused)
        #expect(policy.requiresFreshConnection)
        policy.beginExchange()
        #expect(!policy.requiresFreshConnection)
    }

    @Test(arguments: [true, false], [true, false])
    func `a host is looked up anew once for each failure`(resolvesAnew: Bool, isUnreached: Bool) {
        var policy = ConnectionPolicy(resolvesAnew: resolvesAnew)
        let first = policy.takeResolvesAnew(isUnreached: isUnreached)
        #expect(first == (resolvesAnew || isUnreached))
        let second = policy.takeResolvesAnew(isUnreached: false)
        #expect(!second)
    }
}
