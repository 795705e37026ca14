package import SystemKit
package import TransferModel

/// Examines the machine's network: its interfaces, routes and their classes.
package struct NetworkSurvey: Sendable {
    /// The rules with their sources, in order of precedence.
    private let rules: [(source: String, rule: InterfaceRule)]
    private let devices: DeviceFolder
    private let bus: SystemBus

    /// Takes the rules, which precede all other sources.
    ///
    /// - Parameters:
    ///   - job: The rules of the job file.
    ///   - host: The rules of the machine; the job's rules precede them.
    package init(job: [InterfaceRule], host: [InterfaceRule]) {
        self.init(job: job, host: host, bus: SystemBus())
    }

    /// Uses another way to query daemons.
    init(job: [InterfaceRule], host: [InterfaceRule], bus: SystemBus) {
        rules = job.map { ("the job file", $0) } + host.map { ("the host file", $0) }
        devices = DeviceFolder(path: "/sys/class/net")
        self.bus = bus
    }

    /// Whether the result may change without a kernel message, because daemons contribute to it.
    var asksDaemons: Bool { bus.isThere }

    /// The current network.
    ///
    /// Asks daemons, which takes up to two seconds.
    ///
    /// - Throws: The errors of netlink(7).
    package func snapshot(_ socket: RouteSocket) throws(SystemError) -> NetworkSnapshot {
        let tables = try socket.tables()
        let answers = answers(of: tables.interfaces)
        return snapshot(of: tables.interfaces, tables.routes, by: answers)
    }

    /// Asks the daemons about interfaces, which takes up to two seconds.
    ///
    /// - Parameters:
    ///   - interfaces: The current interfaces.
    ///   - last: Their earlier answers.
    /// - Returns: Their answers; for a late daemon its earlier answer.
    func answers(
        of interfaces: [NetworkInterface],
        after last: DaemonAnswers = DaemonAnswers()
    ) -> DaemonAnswers {
        guard asksDaemons else { return DaemonAnswers() }
        let (said, pending) = last.current(of: interfaces)
        let report = bus.report(after: said)
        // A late daemon has not answered about the changed interfaces.
        let heard =
            report.isLate ? interfaces.filter { !pending.contains($0.name) } : interfaces
        return DaemonAnswers(report, of: heard)
    }

    /// Like `answers`, but asks no daemon if the rules decide every property of every interface
    /// that a policy needs.
    func neededAnswers(
        of interfaces: [NetworkInterface],
        _ routes: [Route],
        after last: DaemonAnswers = DaemonAnswers()
    ) -> DaemonAnswers {
        guard asksDaemons else { return DaemonAnswers() }
        // The snapshot without any daemon's answer.
        let unheard = DaemonAnswers(DaemonReport(), of: [])
        let found = snapshot(of: interfaces, routes, by: unheard)
        if found.interfaces.contains(where: \.classification.isPending) {
            return answers(of: interfaces, after: last)
        }
        let (said, pending) = last.current(of: interfaces)
        let heard = last.hasNoDaemons ? [] : interfaces.filter { !pending.contains($0.name) }
        return DaemonAnswers(said, of: heard)
    }

    /// The network by the kernel's current tables and the daemons' earlier answers.
    func snapshot(
        of interfaces: [NetworkInterface],
        _ routes: [Route],
        by answers: DaemonAnswers
    ) -> NetworkSnapshot {
        var interfaces = interfaces
        let generic = needsGeneric(interfaces) ? try? GenericNetlink() : nil
        for position in interfaces.indices where interfaces[position].linkKind == "wireguard" {
            interfaces[position].peers =
                generic?.wireGuardPeers(of: interfaces[position].index) ?? []
        }
        let (daemons, pending) = answers.current(of: interfaces)
        var attachments = daemons.attachments
        let networks = asksForNetworks ? generic?.wirelessNetworks() ?? [:] : [:]
        for interface in interfaces {
            if let name = networks[interface.index] {
                attachments[interface.name, default: LinkAttachment()].ssid = name
            }
        }
        InterfaceClassifier(
            rules: rules,
            devices: devices,
            daemons: daemons.evidence,
            attachments: attachments,
            pending: pending,
            routes: routes
        ).classify(&interfaces)
        return NetworkSnapshot(interfaces: interfaces, routes: routes)
    }

    /// Whether a rule depends on the Wi-Fi network.
    private var asksForNetworks: Bool { rules.contains { $0.rule.match.ssid != nil } }

    private func needsGeneric(_ interfaces: [NetworkInterface]) -> Bool {
        asksForNetworks || interfaces.contains { $0.linkKind == "wireguard" }
    }
}
