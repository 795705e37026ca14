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
}
