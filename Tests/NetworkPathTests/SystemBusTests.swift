import JSON
import SystemKit
import Testing
import TransferModel

@testable import NetworkPath

/// Answers as busctl writes them with `--json=short`.
@Suite struct SystemBusTests {
    private static func answer(_ objects: String) throws -> JSONValue {
        try JSONValue(#"{"type":"a{oa{sa{sv}}}","data":[{\#(objects)}]}"#)
    }

    private static func device(_ name: String, type: Int, metered: Int) -> String {
        """
        "/org/freedesktop/NetworkManager/Devices/\(name)":{"org.freedesktop.NetworkManager.Device":{\
        "Interface":{"type":"s","data":"\(name)"},"DeviceType":{"type":"u","data":\(type)},\
        "Metered":{"type":"u","data":\(metered)}}}
        """
    }

    @Test(
        arguments: [
            (2, 0, InterfaceKind.wifi, nil), (2, 1, .wifi, true), (2, 2, .wifi, false),
            (2, 3, .wifi, true), (2, 4, .wifi, nil), (5, 1, .bluetooth, true),
            (8, 0, .cellular, nil),
        ] as [(Int, Int, InterfaceKind, Bool?)]
    )
    func `NetworkManager's devices have a kind and are metered or not`(
        type: Int,
        metered: Int,
        kind: InterfaceKind,
        expensive: Bool?
    ) throws {
        let answer = try Self.answer(Self.device("x0", type: type, metered: metered))
        let found = try #require(SystemBus.networkManager(answer)["x0"])
        #expect(found.kind == kind)
        #expect(found.isExpensive == expensive)
    }

    @Test func `a device that NetworkManager knows nothing of says nothing`() throws {
        let answer = try Self.answer(Self.device("eth0", type: 1, metered: 0))
        #expect(SystemBus.networkManager(answer).isEmpty)
    }

    @Test func `the network ports of a modem are cellular, whatever they are called`() throws {
        let answer = try Self.answer(
            """
            "/org/freedesktop/ModemManager1/Modem/0":{"org.freedesktop.ModemManager1.Modem":{\
            "Ports":{"type":"a(su)","data":[["ttyUSB0",3],["eth1",2],["wwan0",2]]}}}
            """
        )
        let found = SystemBus.modemManager(answer)
        #expect(found.keys.sorted() == ["eth1", "wwan0"])
        #expect(found["eth1"]?.kind == .cellular)
        #expect(found["eth1"]?.isExpensive == true)
    }

    @Test(arguments: [
        "null", "[]", "{}", #"{"data":[]}"#, #"{"data":[7]}"#,
        #"{"data":[{"/a":{"org.freedesktop.NetworkManager.Device":7}}]}"#,
        #"{"data":[{"/a":{"org.freedesktop.ModemManager1.Modem":{"Ports":{"data":[[],["a"],7]}}}}]}"#,
    ])
    func `an answer of another shape says nothing`(text: String) throws {
        let answer = try JSONValue(text)
        #expect(SystemBus.networkManager(answer).isEmpty)
        #expect(SystemBus.modemManager(answer).isEmpty)
    }

    @Test func `without a bus nobody is asked`() {
        #expect(SystemBus(program: "/nowhere", socket: "/nowhere").evidence().isEmpty)
    }

    @Test func `a program that is not there says nothing`() {
        #expect(SystemBus(program: "/nowhere", socket: "/").evidence().isEmpty)
    }
}
