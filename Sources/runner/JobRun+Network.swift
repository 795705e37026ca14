import NetworkPath
import Plan
import SystemKit

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
}
