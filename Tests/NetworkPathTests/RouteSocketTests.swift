import SystemKit
import Testing
import TransferModel

@testable import NetworkPath

@Suite struct RouteSocketTests {
    @Test func `the kernel has a loopback that leads to this machine`() throws {
        let socket = try RouteSocket()
        let snapshot = try NetworkSurvey(job: [], host: []).snapshot(socket)
        let loopback = try #require(snapshot.interfaces.first { $0.isLoopback })
        #expect(loopback.name == "lo")
        #expect(loopback.addresses.contains { $0.isLoopback })
        let address = try #require(IPAddress("127.0.0.1"))
        #expect(try socket.interface(to: address) == loopback.index)
        #expect(snapshot.interface(of: address) == loopback)
        #expect(!snapshot.isUsable(loopback))
    }

    @Test(arguments: [("127.0.0.1", "127.0.0.9"), ("::1", "::1")])
    func `a connection has a path while the machine has its address`(own: String, peer: String)
        throws
    {
        let socket = try RouteSocket()
        let loopback = try NetworkSurvey(job: [], host: []).snapshot(socket).interfaces.first {
            $0.isLoopback
        }
        var ends = ConnectionEnds(
            own: try #require(IPAddress(own)),
            ownPort: 50_000,
            peer: try #require(IPAddress(peer)),
            peerPort: 80
        )
        #expect(try socket.interface(of: ends) == loopback?.index)
        ends.isDatagram = true
        #expect(try socket.interface(of: ends) == loopback?.index)
        guard ends.own.bitCount == 32 else { return }
        // An address for documentation (RFC 5737), which no host has.
        ends.own = try #require(IPAddress("192.0.2.77"))
        #expect(try socket.interface(of: ends) == nil)
    }
}
