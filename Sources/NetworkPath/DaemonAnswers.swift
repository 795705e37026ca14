/// The network daemons' answers about interfaces, valid while these do not change.
struct DaemonAnswers: Sendable {
    private let report: SystemBus.Report
    /// The interfaces of the answers, by number; nil without daemons, so that nothing is pending.
    private let interfaces: [Int32: NetworkInterface]?

    /// The answers on a machine without daemons.
    init() {
        report = SystemBus.Report()
        interfaces = nil
    }

    /// The daemons' answers about some interfaces.
    init(_ report: SystemBus.Report, of interfaces: [NetworkInterface]) {
        self.report = report
        self.interfaces = Dictionary(interfaces.map { ($0.index, $0) }) { first, _ in first }
    }

    /// Whether no daemon was asked.
    var isOfNobody: Bool { interfaces == nil }

    /// Whether a daemon did not answer in time.
    var isLate: Bool { report.isLate }

    /// The answers that are still valid, and the names of interfaces to ask about again.
    func current(of interfaces: [NetworkInterface]) -> (
        report: SystemBus.Report, pending: Set<String>
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
