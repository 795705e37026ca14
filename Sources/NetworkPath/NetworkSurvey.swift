package import SystemKit
package import TransferModel

/// Looks at the machine's network: what there is, and of which class.
package struct NetworkSurvey: Sendable {
    /// Rules and who has made them, the stronger first.
    private let rules: [(source: String, rule: InterfaceRule)]
    private let devices: DeviceFolder
    private let bus: SystemBus

    /// Takes the rules that come before everything else that is known.
    ///
    /// - Parameters:
    ///   - job: The rules of the job file.
    ///   - host: The rules of the machine, which the job's come before.
    package init(job: [InterfaceRule], host: [InterfaceRule]) {
        self.init(job: job, host: host, bus: SystemBus())
    }

    /// Asks daemons in another way.
    init(job: [InterfaceRule], host: [InterfaceRule], bus: SystemBus) {
        rules = job.map { ("the job file", $0) } + host.map { ("the host file", $0) }
        devices = DeviceFolder(path: "/sys/class/net")
        self.bus = bus
    }

    /// Whether what is found may change without a word of the kernel: daemons know it.
    var asksDaemons: Bool { bus.isThere }

    /// What there is now.
    ///
    /// Daemons are asked, and waited for up to two seconds.
    ///
    /// - Throws: What netlink(7) says.
    package func snapshot(_ socket: RouteSocket) throws(SystemError) -> NetworkSnapshot {
        let tables = try socket.tables()
        let answers = answers(of: tables.interfaces)
        return snapshot(of: tables.interfaces, tables.routes, by: answers)
    }

    /// Asks the daemons what interfaces are, and waits for them up to two seconds.
    ///
    /// - Parameters:
    ///   - interfaces: Those that there are.
    ///   - last: What they have said before.
    /// - Returns: What they say; of one that does not answer in time what it has said before.
    func answers(
        of interfaces: [NetworkInterface],
        after last: DaemonAnswers = DaemonAnswers()
    ) -> DaemonAnswers {
        guard asksDaemons else { return DaemonAnswers() }
        let (said, pending) = last.current(of: interfaces)
        let report = bus.report(after: said)
        // Who is late has said nothing of what has changed.
        let heard =
            report.isLate ? interfaces.filter { !pending.contains($0.name) } : interfaces
        return DaemonAnswers(report, of: heard)
    }

    /// The same, but nobody is asked and waited for while rules decide of every interface what a
    /// policy asks.
    func neededAnswers(
        of interfaces: [NetworkInterface],
        _ routes: [Route],
        after last: DaemonAnswers = DaemonAnswers()
    ) -> DaemonAnswers {
        guard asksDaemons else { return DaemonAnswers() }
        // As if nobody had said anything of any of them.
        let unheard = DaemonAnswers(SystemBus.Report(), of: [])
        let found = snapshot(of: interfaces, routes, by: unheard)
        if found.interfaces.contains(where: \.classification.isPending) {
            return answers(of: interfaces, after: last)
        }
        let (said, pending) = last.current(of: interfaces)
        let heard = last.isOfNobody ? [] : interfaces.filter { !pending.contains($0.name) }
        return DaemonAnswers(said, of: heard)
    }

    /// What there is by the kernel's tables of now, and by what daemons have said before.
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

    /// Whether a rule is about Wi-Fi networks.
    private var asksForNetworks: Bool { rules.contains { $0.rule.match.ssid != nil } }

    private func needsGeneric(_ interfaces: [NetworkInterface]) -> Bool {
        asksForNetworks || interfaces.contains { $0.linkKind == "wireguard" }
    }
}
