import SystemKit
import Testing

@testable import NetworkPath

@Suite struct SeenNetworkTests {
    @Test func `a network that goes and returns counts as two changes`() {
        let none = NetworkSnapshot(interfaces: [], routes: [])
        let route = Route(destination: .unspecified(bitCount: 32), prefix: 0, interface: 2)
        let online = NetworkSnapshot(interfaces: [], routes: [route])
        var seen = SeenNetwork(online)
        let looks = [online, none, none, online].map { found in
            seen.see(found)
            #expect(seen.network == found)
            return seen.changes
        }
        #expect(looks == [0, 1, 1, 2])
    }
}
