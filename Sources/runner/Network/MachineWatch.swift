import CurlKit
import NetworkPath
import Plan
import Scheduler
import SystemKit
import Transfer
import TransferModel

/// Watches the interfaces and the power supply of this machine during a run, for a job that depends
/// on them.
struct MachineWatch {
    /// Nil for a job without a network policy.
    let network: NetworkMonitor?
    /// Nil for a job without a discretionary session.
    private let power: PowerMonitor?

    /// Looks at the machine for the first time.
    ///
    /// - Throws: `RunObstacle` when the kernel or the machine's network file keeps a policy from
    ///   working.
    init(for plan: Plan) throws(RunObstacle) {
        network = try Self.network(for: plan)
        power = try Self.power(for: plan)
    }

    /// Whether the machine runs on external power, as far as the job depends on it.
    var hasExternalPower: Bool { power?.isExternal ?? true }

    /// Sends changes of network and power to the engine and the scheduler from now on.
    ///
    /// - Throws: `RunObstacle` when the kernel gives no thread.
    func start(for engine: Engine, telling inbox: Inbox<Scheduler.Message>) throws(RunObstacle) {
        let power = power
        do throws(SystemError) {
            try power?.start { inbox.push(.powerChanged(isExternal: $0)) }
            try network?.start {
                // A docking station brings network and power at once.
                power?.lookAgain()
                // The message precedes the engine's, so that attempts that the engine ends count as
                // begun before it.
                inbox.push(.networkChanged)
                engine.networkDidChange()
            }
        } catch {
            throw RunObstacle(error.message)
        }
    }

    /// Ends the watch.
    func stop() {
        network?.stop()
        power?.stop()
    }

    /// Warns of a session that asks for Multipath TCP on a machine with one path.
    static func warnOfSinglePath(for plan: Plan) {
        guard let session = plan.sessions.first(where: { $0.multipathServiceType != .none }),
            let count = (try? GenericNetlink())?.multipathEndpointCount(), count == 0
        else { return }
        StandardError.say(
            "warning: session `\(session.name.onOneLine(limit: 80).text)` asks for Multipath TCP, "
                + "but this machine has no endpoint for another path (`ip mptcp endpoint add`)"
        )
    }

    private static func network(for plan: Plan) throws(RunObstacle) -> NetworkMonitor? {
        guard plan.dependsOnNetwork else { return nil }
        do {
            let monitor = try NetworkMonitor(.of(plan))
            try requireBinding(for: plan)
            return monitor
        } catch let obstacle as RunObstacle {
            throw obstacle
        } catch let exit as Exit {
            throw RunObstacle(
                exit.message ?? "the host file about this machine's interfaces has faults"
            )
        } catch let error as SystemError {
            throw RunObstacle(error.message)
        } catch {
            throw RunObstacle("\(error)")
        }
    }

    /// Refuses a policy that this kernel cannot enforce.
    ///
    /// Where sockets cannot be bound, the engine checks the route of the destination before it
    /// connects. Routes that depend on more than the destination would let the first packets leave
    /// by another interface.
    private static func requireBinding(for plan: Plan) throws {
        guard plan.forbidsInterfaces, !SocketOptions.mayBind,
            try !RouteSocket().choosesByDestination()
        else { return }
        throw RunObstacle(
            "this user may not bind a socket to an interface, and the routes of this machine "
                + "depend on more than "
                + "the destination (`ip rule`, `ip route`): runner cannot enforce "
                + "`allowsCellularAccess`, "
                + "`allowsExpensiveNetworkAccess` and `allowsConstrainedNetworkAccess`; "
                + "use Linux 5.7 or newer, or CAP_NET_RAW"
        )
    }

    private static func power(for plan: Plan) throws(RunObstacle) -> PowerMonitor? {
        guard plan.sessions.contains(where: \.isDiscretionary) else { return nil }
        do throws(SystemError) {
            return try PowerMonitor()
        } catch {
            throw RunObstacle(error.message)
        }
    }
}
