import CurlKit
import Testing
import TransferModel

@testable import Transfer

@Suite struct HTTPProtocolChoiceTests {
    private func choose(
        _ version: HTTPVersion,
        _ number: Int,
        hasHTTP2: Bool = true,
        hasHTTP3: Bool = false
    ) throws(ProtocolFault) -> HTTPProtocol {
        var session = SessionConfiguration(name: "s")
        session.httpVersion = version
        let library = CurlLibrary(
            version: "X",
            tlsVersion: nil,
            versionNumber: number,
            hasHTTP2: hasHTTP2,
            hasHTTP3: hasHTTP3
        )
        return try HTTPProtocol.choose(for: session, with: library)
    }

    @Test(arguments: [
        (HTTPVersion.automatic, 0x075801, HTTPProtocol.http1), (.automatic, 0x080000, .http2),
        (.http1, 0x080E01, .http1), (.http2, 0x080E01, .http2), (.http2, 0x075801, .http2),
    ])
    func `HTTP/2 is used by default from libcurl 8 on, and wherever it is demanded`(
        version: HTTPVersion,
        number: Int,
        choice: HTTPProtocol
    ) throws {
        #expect(try choose(version, number) == choice)
    }

    @Test func `without HTTP/2 in libcurl HTTP/1.1 is chosen`() throws {
        #expect(try choose(.automatic, 0x080E01, hasHTTP2: false) == .http1)
        #expect(try choose(.http3, 0x080E01, hasHTTP3: true) == .http3)
    }

    @Test(arguments: [
        (HTTPVersion.http2, 0x080E01, false, "is built without HTTP/2"),
        (.http2, 0x075801, false, "is built without HTTP/2"),
        (.http3, 0x080E01, true, "is built without HTTP/3"),
    ])
    func `a requested but unavailable HTTP version is a fault`(
        version: HTTPVersion,
        number: Int,
        hasHTTP2: Bool,
        reason: String
    ) {
        let fault = #expect(throws: ProtocolFault.self) {
            try choose(version, number, hasHTTP2: hasHTTP2)
        }
        #expect(
            fault?.message.contains("session `s` has `httpVersion` \(version.rawValue)") == true
        )
        #expect(fault?.message.contains(reason) == true)
    }
}
