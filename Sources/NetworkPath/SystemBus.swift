internal import JSON
internal import SystemKit
internal import TransferModel

/// Queries the machine's network daemons over the system bus with `busctl`; a missing daemon has no
/// answer.
struct SystemBus: Sendable {
    /// The program; used only where a bus exists.
    var program = "busctl"
    /// The bus's socket.
    var socket = "/run/dbus/system_bus_socket"
    /// The time limit for a daemon's answer, in nanoseconds.
    var patience: Int64 = 2_000_000_000
    /// The longest part of an answer that is read, bytes.
    private static let longestAnswer = 4 << 20

    /// Whether a system bus exists.
    var isThere: Bool { PathOccupant(at: socket) != .nothing }

    /// Asks all daemons at once, which may take up to two seconds.
    ///
    /// - Parameter last: Their earlier answers.
    /// - Returns: Their answers; for a late daemon its earlier answer.
    func report(after last: DaemonReport = DaemonReport()) -> DaemonReport {
        guard isThere else { return DaemonReport() }
        let deadline = Clock.monotonicNanoseconds() + patience
        let asked = (
            manager: ask("org.freedesktop.NetworkManager", at: "/org/freedesktop"),
            modems: ask("org.freedesktop.ModemManager1", at: "/org/freedesktop/ModemManager1")
        )
        var report = DaemonReport()
        // Read the longer answer first: the other one waits in its pipe.
        switch Self.answer(from: asked.manager, until: deadline) {
        case .objects(let answer):
            report.devices = Self.networkManager(answer)
            report.attachments = Self.attachments(answer)
        case .silence:
            (report.devices, report.attachments) = (last.devices, last.attachments)
            report.isLate = true
        case .refusal: break
        }
        switch Self.answer(from: asked.modems, until: deadline) {
        case .objects(let answer): report.modems = Self.modemManager(answer)
        case .silence:
            report.modems = last.modems
            report.isLate = true
        case .refusal: break
        }
        return report
    }

    /// The result of a query.
    private enum Answer {
        /// A service's objects and their properties in busctl's format.
        case objects(JSONValue)
        /// There is no such service, no busctl, or its output is invalid.
        case refusal
        /// The answer takes too long.
        case silence
    }

    /// Asks a service for its objects and their properties; nil without busctl.
    private func ask(_ service: String, at path: String) -> ChildProcess? {
        let call = [
            program, "--system", "--json=short", "--auto-start=no", "call", service, path,
            "org.freedesktop.DBus.ObjectManager", "GetManagedObjects",
        ]
        return try? ChildProcess(call, in: "/")
    }

    private static func answer(from child: ChildProcess?, until deadline: Int64) -> Answer {
        guard let answer = try? child?.capture(limit: longestAnswer, until: deadline) else {
            return .refusal
        }
        if answer.outcome == .timedOut { return .silence }
        guard answer.outcome == .ended(.exited(0)), let value = try? JSONValue(bytes: answer.output)
        else { return .refusal }
        return .objects(value)
    }

    /// `Metered` and `DeviceType` of NetworkManager's devices; "guess yes" counts as yes, as libnm
    /// advises.
    static func networkManager(_ answer: JSONValue) -> [String: InterfaceEvidence] {
        var result: [String: InterfaceEvidence] = [:]
        for object in Self.objects(in: answer) {
            guard let device = object["org.freedesktop.NetworkManager.Device"] else { continue }
            let metered = device["Metered"]?["data"]?.whole ?? 0
            let kind: InterfaceKind? =
                switch device["DeviceType"]?["data"]?.whole {
                case 2: .wifi
                case 5: .bluetooth
                case 8: .cellular
                default: nil
                }
            let evidence = InterfaceEvidence(
                "NetworkManager",
                kind: kind,
                isExpensive: [1, 3].contains(metered) ? true : metered == 2 ? false : nil
            )
            if evidence.isEmpty { continue }
            for name in Self.names(of: device) { result[name] = evidence }
        }
        return result
    }

    /// The names of a device: for a modem, `Interface` is its control port and `IpInterface`
    /// carries the packets.
    private static func names(of device: JSONValue) -> [String] {
        ["Interface", "IpInterface"].compactMap { device[$0]?["data"]?.text }.filter { !$0.isEmpty }
    }

    /// The Wi-Fi networks and the connections of NetworkManager's devices.
    static func attachments(_ answer: JSONValue) -> [String: LinkAttachment] {
        let objects = Self.members(of: answer)
        func property(_ path: String?, _ interface: String, _ name: String) -> JSONValue? {
            let object = objects.first { $0.name == path }
            return object?.value["org.freedesktop.NetworkManager.\(interface)"]?[name]?["data"]
        }
        var result: [String: LinkAttachment] = [:]
        for object in objects {
            guard let device = object.value["org.freedesktop.NetworkManager.Device"] else {
                continue
            }
            var attachment = LinkAttachment()
            let point = property(object.name, "Device.Wireless", "ActiveAccessPoint")?.text
            let bytes = property(point, "AccessPoint", "Ssid")?.items.compactMap(\.whole) ?? []
            if !bytes.isEmpty {
                attachment.ssid = String(decoding: bytes.map(UInt8.init(clamping:)), as: UTF8.self)
            }
            let connection = device["ActiveConnection"]?["data"]?.text
            attachment.connections = ["Id", "Uuid"].compactMap {
                property(connection, "Connection.Active", $0)?.text
            }
            for name in Self.names(of: device) { result[name] = attachment }
        }
        return result
    }

    /// The network ports of ModemManager's modems, whatever their names are.
    static func modemManager(_ answer: JSONValue) -> [String: InterfaceEvidence] {
        var result: [String: InterfaceEvidence] = [:]
        for object in Self.objects(in: answer) {
            let modem = object["org.freedesktop.ModemManager1.Modem"]
            for port in modem?["Ports"]?["data"]?.items ?? [] {
                let parts = port.items
                // MM_MODEM_PORT_TYPE_NET.
                guard parts.count == 2, parts[1].whole == 2, let name = parts[0].text else {
                    continue
                }
                result[name] = InterfaceEvidence("ModemManager", kind: .cellular, isExpensive: true)
            }
        }
        return result
    }

    /// The values of `a{oa{sa{sv}}}`.
    private static func objects(in answer: JSONValue) -> [JSONValue] {
        members(of: answer).map(\.value)
    }

    /// The objects with their paths.
    private static func members(of answer: JSONValue) -> [JSONValue.Member] {
        guard case .object(let members)? = answer["data"]?.items.first else { return [] }
        return members
    }
}

/// The daemons' answers about interfaces, by interface name.
struct DaemonReport {
    /// ModemManager's answers.
    var modems: [String: InterfaceEvidence] = [:]
    /// NetworkManager's answers.
    var devices: [String: InterfaceEvidence] = [:]
    var attachments: [String: LinkAttachment] = [:]
    /// Whether a daemon did not answer in time.
    var isLate = false

    /// The answers of each daemon, the more reliable one first.
    var evidence: [[String: InterfaceEvidence]] { [modems, devices].filter { !$0.isEmpty } }

    /// The report without some interfaces.
    func without(_ names: Set<String>) -> DaemonReport {
        if names.isEmpty { return self }
        return DaemonReport(
            modems: modems.filter { !names.contains($0.key) },
            devices: devices.filter { !names.contains($0.key) },
            attachments: attachments.filter { !names.contains($0.key) }
        )
    }
}

extension JSONValue {
    fileprivate var items: [JSONValue] { if case .array(let items) = self { items } else { [] } }

    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }

    fileprivate var whole: Int? {
        if case .number(let digits) = self { Int(digits) } else { nil }
    }
}

/// The network daemons' answers about interfaces, valid while these do not change.
struct DaemonAnswers: Sendable {
    private let report: DaemonReport
    /// The interfaces of the answers, by number; nil without daemons, so that nothing is pending.
    private let interfaces: [Int32: NetworkInterface]?

    /// The answers on a machine without daemons.
    init() {
        report = DaemonReport()
        interfaces = nil
    }

    /// The daemons' answers about some interfaces.
    init(_ report: DaemonReport, of interfaces: [NetworkInterface]) {
        self.report = report
        self.interfaces = Dictionary(interfaces.map { ($0.index, $0) }) { first, _ in first }
    }

    /// Whether there was no daemon to ask.
    var hasNoDaemons: Bool { interfaces == nil }

    /// Whether a daemon did not answer in time.
    var isLate: Bool { report.isLate }

    /// The answers that are still valid, and the names of interfaces to ask about again.
    func current(of interfaces: [NetworkInterface]) -> (
        report: DaemonReport, pending: Set<String>
    ) {
        let pending = Set(interfaces.lazy.filter { !hold(of: $0) }.map(\.name))
        return (report.without(pending), pending)
    }

    /// Whether the answers apply to the interface in its present state.
    ///
    /// An interface that is new, lost its carrier for a moment, came up or has other addresses may
    /// lead to another network.
    private func hold(of now: NetworkInterface) -> Bool {
        guard let interfaces else { return true }
        guard let then = interfaces[now.index], then.name == now.name,
            then.carrierChanges == now.carrierChanges, then.isUp || !now.isUp
        else { return false }
        return now.addresses.isEmpty || now.addresses.contains(where: then.addresses.contains)
    }
}
