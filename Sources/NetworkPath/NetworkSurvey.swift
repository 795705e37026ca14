package import SystemKit
package import TransferModel

/// Looks at the machine's network: what there is, and of which class.
package struct NetworkSurvey: Sendable {
    /// Rules and who has made them, the stronger first.
    private let rules: [(source: String, rule: InterfaceRule)]
    private let devices: DeviceFolder
    private let bus: SystemBus

    /// Where sysfs has the interfaces.
    package static let deviceFolder = "/sys/class/net"

    /// Takes the rules that come before everything else that is known.
    ///
    /// - Parameters:
    ///   - job: The rules of the job file.
    ///   - host: The rules of the machine, which the job's come before.
    ///   - devices: Where sysfs has the interfaces.
    package init(
        job: [InterfaceRule],
        host: [InterfaceRule],
        devices: String = Self.deviceFolder
    ) {
        rules = job.map { ("the job file", $0) } + host.map { ("the host file", $0) }
        self.devices = DeviceFolder(path: devices)
        bus = SystemBus()
    }

    /// What there is now.
    ///
    /// Daemons are asked each time, and waited for up to two seconds each.
    ///
    /// - Throws: What netlink(7) says.
    package func snapshot(_ socket: RouteSocket) throws(SystemError) -> NetworkSnapshot {
        let tables = try socket.tables()
        var interfaces = tables.interfaces
        InterfaceClassifier(rules: rules, devices: devices, daemons: bus.evidence())
            .classify(&interfaces)
        return NetworkSnapshot(interfaces: interfaces, routes: tables.routes)
    }
}
