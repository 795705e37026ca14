import NetworkPath
import Plan
import SystemKit

extension JobRun {
    /// What is known of the machine's interfaces; nil for a job that none matters to.
    func network(of plan: Plan) throws(Obstacle) -> NetworkMonitor? {
        guard plan.dependsOnNetwork else { return nil }
        do {
            let survey = NetworkSurvey(job: plan.interfaceRules, host: try HostNetworkFile.rules())
            return try NetworkMonitor(survey)
        } catch let exit as Exit {
            throw Obstacle(exit.message ?? "the file about this machine's network has faults")
        } catch let error as SystemError {
            throw Obstacle(error.message)
        } catch {
            throw Obstacle("\(error)")
        }
    }
}
