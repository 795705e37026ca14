import SystemKit
import Testing

@testable import NetworkPath

@Suite struct DaemonAnswersTests {
    private static let then = [
        interface(2, nil, isUp: false), interface(3, "192.0.2.3"), interface(4, "192.0.2.4"),
        interface(5, "192.0.2.5"), interface(6, nil), interface(7, "192.0.2.7", changes: 4),
        interface(8, "192.0.2.8"),
    ]

    private static func interface(
        _ index: Int32,
        _ address: String?,
        isUp: Bool = true,
        changes: UInt32 = 0,
        name: String? = nil
    ) -> NetworkInterface {
        NetworkInterface(
            index: index,
            name: name ?? "eth\(index)",
            isUp: isUp,
            carrierChanges: changes,
            addresses: address.flatMap { IPAddress($0) }.map { [$0] } ?? []
        )
    }

    @Test(arguments: [
        (interface(2, nil), false), (interface(2, nil, isUp: false), true),
        (interface(3, "198.51.100.3"), false), (interface(3, "192.0.2.3"), true),
        (interface(5, nil, isUp: false), true), (interface(6, "192.0.2.6"), false),
        (interface(7, "192.0.2.7", changes: 6), false),
        (interface(7, "192.0.2.7", changes: 4), true),
        (interface(8, "192.0.2.8", name: "wan"), false), (interface(9, "192.0.2.9"), false),
    ])
    func `an answer is valid until its interface may lead elsewhere`(
        now: NetworkInterface,
        holds: Bool
    ) {
        let answers = DaemonAnswers(DaemonReport(), of: Self.then)
        #expect(answers.current(of: [now]).pending == (holds ? [] : [now.name]))
        // Without daemons no interface is asked about again.
        #expect(DaemonAnswers().current(of: [now]).pending.isEmpty)
    }

    @Test func `an added address does not invalidate an answer`() {
        var now = Self.then[2]
        now.addresses += [IPAddress("198.51.100.4")].compactMap(\.self)
        let answers = DaemonAnswers(DaemonReport(), of: Self.then)
        #expect(answers.current(of: [now]).pending.isEmpty)
    }
}
