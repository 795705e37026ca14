/// What the network daemons have said of interfaces: it holds for as long as these are what they
/// were.
struct DaemonAnswers: Sendable {
    private let report: SystemBus.Report
    /// Of what they have said it, by number; nil where there is nobody to ask, and so nothing to
    /// wait for.
    private let interfaces: [Int32: NetworkInterface]?

    /// Those of a machine without daemons.
    init() {
        report = SystemBus.Report()
        interfaces = nil
    }

    /// Those of daemons that have been heard of such interfaces.
    init(_ report: SystemBus.Report, of interfaces: [NetworkInterface]) {
        self.report = report
        self.interfaces = Dictionary(interfaces.map { ($0.index, $0) }) { first, _ in first }
    }

    /// Whether nobody was asked.
    var isOfNobody: Bool { interfaces == nil }

    /// Whether one of them has still to answer.
    var isLate: Bool { report.isLate }

    /// What still holds of what they have said, and the names of those that they have to be asked
    /// of.
    func current(of interfaces: [NetworkInterface]) -> (
        report: SystemBus.Report, pending: Set<String>
    ) {
        let pending = Set(interfaces.lazy.filter { !hold(of: $0) }.map(\.name))
        return (report.without(pending), pending)
    }

    /// Whether they are about the interface as it is now.
    ///
    /// What has come, has lost its carrier for a moment, has come up or has other addresses may
    /// lead to another network.
    private func hold(of now: NetworkInterface) -> Bool {
        guard let interfaces else { return true }
        guard let then = interfaces[now.index], then.name == now.name,
            then.carrierChanges == now.carrierChanges, then.isUp || !now.isUp
        else { return false }
        return now.addresses.isEmpty || now.addresses.contains(where: then.addresses.contains)
    }
}
