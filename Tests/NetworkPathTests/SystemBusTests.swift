import JSON
import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import NetworkPath

/// Answers as busctl writes them with `--json=short`.
@Suite struct SystemBusTests {
    /// As long as a machine may stand still, in nanoseconds.
    private static let long: Int64 = 60_000_000_000

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

    @Test func `a device unknown to NetworkManager has no evidence`() throws {
        let answer = try Self.answer(Self.device("eth0", type: 1, metered: 0))
        #expect(SystemBus.networkManager(answer).isEmpty)
    }

    @Test func `the network ports of a modem are cellular under any name`() throws {
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
    func `an answer of another shape is no evidence`(text: String) throws {
        let answer = try JSONValue(text)
        #expect(SystemBus.networkManager(answer).isEmpty)
        #expect(SystemBus.modemManager(answer).isEmpty)
        #expect(SystemBus.attachments(answer).values.allSatisfy { $0 == LinkAttachment() })
    }

    @Test func `a modem is identified by its network interface, not its control port`() throws {
        let answer = try Self.answer(
            """
            "/d/1":{"org.freedesktop.NetworkManager.Device":{\
            "Interface":{"type":"s","data":"cdc-wdm0"},"IpInterface":{"type":"s","data":"wwan0"},\
            "DeviceType":{"type":"u","data":8},"Metered":{"type":"u","data":1}}}
            """
        )
        let found = SystemBus.networkManager(answer)
        #expect(found["wwan0"]?.kind == .cellular)
        #expect(found["wwan0"]?.isExpensive == true)
    }

    /// NetworkManager's properties of a Wi-Fi device in a network, with a connection.
    private static let wireless = """
        "/d/1":{"org.freedesktop.NetworkManager.Device":{"Interface":{"type":"s","data":"wlan0"},\
        "ActiveConnection":{"type":"o","data":"/c/1"},"DeviceType":{"type":"u","data":2}},\
        "org.freedesktop.NetworkManager.Device.Wireless":{"ActiveAccessPoint":{"type":"o","data":"/p/1"}}},\
        "/c/1":{"org.freedesktop.NetworkManager.Connection.Active":{"Id":{"type":"s","data":"Train"},\
        "Uuid":{"type":"s","data":"7a1d"}}},\
        "/p/1":{"org.freedesktop.NetworkManager.AccessPoint":{"Ssid":{"type":"ay","data":[84,114,97,105,110]}}},\
        "/d/2":{"org.freedesktop.NetworkManager.Device":{"Interface":{"type":"s","data":"eth0"},\
        "ActiveConnection":{"type":"o","data":"/"}}}
        """

    @Test func `a device has the network and the connection that it is in`() throws {
        let found = SystemBus.attachments(try Self.answer(Self.wireless))
        #expect(found["wlan0"]?.ssid == "Train")
        #expect(found["wlan0"]?.connections == ["Train", "7a1d"])
        #expect(found["eth0"] == LinkAttachment())
    }

    /// A busctl that answers for NetworkManager alone.
    @Test func `the output of busctl is parsed, and a missing daemon has no answer`()
        throws
    {
        let folder = try TemporaryFolder()
        let answer = #"{"type":"a{oa{sa{sv}}}","data":[{\#(Self.wireless)}]}"#
        try folder.write(answer, to: "answer.json")
        let program = try folder.write(
            """
            #!/bin/sh
            case "$*" in
            *NetworkManager*) cat "$(dirname "$0")/answer.json" ;;
            *) exit 1 ;;
            esac
            """,
            to: "busctl",
            mode: 0o755
        )
        let report = SystemBus(program: program, socket: folder.path, patience: Self.long).report()
        #expect(report.attachments["wlan0"]?.ssid == "Train")
        #expect(report.evidence.map(\.keys.first) == ["wlan0"])
    }

    /// A busctl that answers only when all are asked.
    @Test func `the daemons are asked at once`() throws {
        let folder = try TemporaryFolder()
        let answer = #"{"type":"a{oa{sa{sv}}}","data":[{\#(Self.wireless)}]}"#
        try folder.write(answer, to: "answer.json")
        let program = try folder.write(
            """
            #!/bin/sh
            cd "$(dirname "$0")"
            echo >> asked
            until [ $(wc -c < asked) = 2 ]; do sleep 0.01; done
            cat answer.json
            """,
            to: "busctl",
            mode: 0o755
        )
        let bus = SystemBus(program: program, socket: folder.path, patience: Self.long)
        #expect(bus.report().attachments["wlan0"]?.ssid == "Train")
    }

    @Test(arguments: [("exec sleep 1000", true), ("exit 1", false), ("echo nonsense", false)])
    func `a daemon's last answer is valid while it is silent`(script: String, holds: Bool)
        throws
    {
        let folder = try TemporaryFolder()
        let program = try folder.write("#!/bin/sh\n\(script)\n", to: "busctl", mode: 0o755)
        let said = ["eth0": InterfaceEvidence("a daemon", isExpensive: true)]
        let attachments = ["eth0": LinkAttachment(connections: ["Train"])]
        let last = DaemonReport(modems: said, devices: said, attachments: attachments)
        // The test waits for a daemon that refuses.
        let patience = holds ? 1 : Self.long
        let bus = SystemBus(program: program, socket: folder.path, patience: patience)
        let report = bus.report(after: last)
        #expect(report.modems == (holds ? said : [:]))
        #expect(report.devices == (holds ? said : [:]))
        #expect(report.attachments == (holds ? attachments : [:]))
        #expect(report.isLate == holds)
    }

    @Test func `no daemon is asked without a bus`() {
        #expect(SystemBus(program: "/nowhere", socket: "/nowhere").report().evidence.isEmpty)
    }

    @Test func `a missing program has no output`() {
        #expect(SystemBus(program: "/nowhere", socket: "/").report().evidence.isEmpty)
    }
}
