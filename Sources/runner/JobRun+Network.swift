import NetworkPath
import Plan
import Scheduler
import SystemKit
import Transfer

extension JobRun {
    /// What is known of the machine's interfaces; nil for a job that none matters to.
    func network(of plan: Plan) throws(Obstacle) -> NetworkMonitor? {
        guard plan.dependsOnNetwork else { return nil }
        do {
            return try NetworkMonitor(.of(plan))
        } catch let exit as Exit {
            throw Obstacle(exit.message ?? "the file about this machine's network has faults")
        } catch let error as SystemError {
            throw Obstacle(error.message)
        } catch {
            throw Obstacle("\(error)")
        }
    }

    /// Tells engine and scheduler of changes of the network.
    func listen(
        to network: NetworkMonitor?,
        for engine: Engine,
        _ inbox: Inbox<Scheduler.Message>
    ) throws(Obstacle) {
        do throws(SystemError) {
            try network?.start {
                engine.networkDidChange()
                inbox.push(.networkChanged)
            }
        } catch {
            throw Obstacle(error.message)
        }
    }
}
