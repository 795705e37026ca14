import CurlKit
import NetworkPath
import Plan
import Scheduler
import SystemKit
import Transfer
import TransferModel

extension JobRun {
    /// What is known of the machine's interfaces; nil for a job that none matters to.
    func network(of plan: Plan) throws(Obstacle) -> NetworkMonitor? {
        guard plan.dependsOnNetwork else { return nil }
        do {
            let monitor = try NetworkMonitor(.of(plan))
            try requireBinding(for: plan)
            return monitor
        } catch let obstacle as Obstacle {
            throw obstacle
        } catch let exit as Exit {
            throw Obstacle(exit.message ?? "the file about this machine's network has faults")
        } catch let error as SystemError {
            throw Obstacle(error.message)
        } catch {
            throw Obstacle("\(error)")
        }
    }

    /// Refuses a policy that the kernel gives no means to keep.
    ///
    /// Where sockets cannot be bound, a connection is held to the route of its destination, which is looked at before it is made.
    /// Routes that depend on more than the destination would let its first packets leave by another interface.
    private func requireBinding(for plan: Plan) throws {
        guard plan.forbidsInterfaces, !SocketOptions.mayBind,
            try !RouteSocket().choosesByDestination()
        else { return }
        throw Obstacle(
            "the kernel lets this user bind no socket to an interface, and the routes of this machine depend on more than "
                + "the destination (`ip rule`, `ip route`): no flag of `allowsCellularAccess`, "
                + "`allowsExpensiveNetworkAccess` and `allowsConstrainedNetworkAccess` can be kept; "
                + "use Linux 5.7 or newer, or CAP_NET_RAW"
        )
    }

    /// Warns of a session whose connections could use several paths and will not, because the machine has no other one.
    func warnOfSinglePath(of plan: Plan) {
        guard let session = plan.sessions.first(where: { $0.multipathServiceType != .none }),
            let count = (try? GenericNetlink())?.multipathEndpointCount(), count == 0
        else { return }
        say(
            "warning: session `\(session.name.onOneLine(limit: 80).text)` asks for Multipath TCP, and this machine "
                + "has no endpoint for another path (`ip mptcp endpoint add`)"
        )
    }

    /// Ends a run before anything is sent when a signal has come while the machine was looked at.
    func obeySignal(in inbox: Inbox<Scheduler.Message>) throws(Obstacle) {
        for message in inbox.takeAll(until: 0) {
            if case .signal(let signal) = message { throw Obstacle(.signal(signal)) }
        }
    }

    /// What feeds the machine; nil for a job that it does not matter to.
    func power(of plan: Plan) throws(Obstacle) -> PowerMonitor? {
        guard plan.sessions.contains(where: \.isDiscretionary) else { return nil }
        do throws(SystemError) {
            return try PowerMonitor()
        } catch {
            throw Obstacle(error.message)
        }
    }

    /// Tells engine and scheduler of changes of the network and of the power.
    func listen(
        to network: NetworkMonitor?,
        _ power: PowerMonitor?,
        for engine: Engine,
        _ inbox: Inbox<Scheduler.Message>
    ) throws(Obstacle) {
        do throws(SystemError) {
            try power?.start { inbox.push(.powerChanged(isExternal: $0)) }
            try network?.start {
                // Who docks a machine plugs in both.
                power?.lookAgain()
                // First, so that what the engine ends for it is known to have begun before.
                inbox.push(.networkChanged)
                engine.networkDidChange()
            }
        } catch {
            throw Obstacle(error.message)
        }
    }
}
