import Diagnostics
import Plan
import Report
import Scheduler
import SystemKit
import TransferModel

/// The secrets of one run: reads their values, fills them in, and keeps them out of standard error.
struct RunSecrets: Sendable {
    /// The values that standard error does not show.
    let hidden = HiddenSecrets()
    private let resolver = SecretResolver()
    /// The values that the environment holds.
    private let known: [Secret]

    /// Hides the values that the environment holds.
    init(of plan: Plan) {
        let hasCredentials =
            plan.sessions.contains { !$0.credentials.isEmpty } || !plan.proxyPasswords.isEmpty
        if hasCredentials || !plan.declaredSecrets.isEmpty { ProcessContext.hideMemory() }
        known =
            SecretResolver.environmentValues(of: plan.secretVariables)
            + SecretResolver.proxyPasswords(in: ProcessContext.variable)
        hidden.hide(known)
    }

    /// Stops the command that reads a secret; for any thread.
    func stop(_ signal: StopSignal) { resolver.stop(signal) }

    /// Reads all secrets and netrc files and puts their values into the plan.
    ///
    /// - Throws: `RunObstacle` when a value is missing, does not fit, or a signal stopped the
    ///   reading.
    func fill(_ plan: Plan) throws -> FilledJob {
        let secrets = try explained(plan) {
            try resolver.resolve(plan.neededSecrets, besides: known, in: plan.folder)
        }
        hidden.hide(known + secrets.values)
        let filled = try explained(plan) {
            try plan.with(secrets) { secret in
                let redactor = Redactor([secret])
                return { redactor?.firstSecret(in: $0) }
            }
        }
        let sessions = try sessions(of: filled)
        let credentials = sessions.flatMap(\.credentials).flatMap(\.secrets)
        let passwords = SecretResolver.longEnough(filled.proxyPasswords)
        let redactor = hidden.hide(known + secrets.values + credentials + passwords)
        return FilledJob(plan: filled, sessions: sessions, redactor: redactor)
    }

    /// Hides the values that were read before the run met an obstacle.
    func hideFound() -> Redactor? { hidden.hide(known + resolver.found) }

    private func sessions(of plan: Plan) throws(RunObstacle) -> [SessionConfiguration] {
        do throws(NetrcFault) {
            return try NetrcFiles.resolve(plan.sessions)
        } catch {
            throw RunObstacle(error.message)
        }
    }

    /// Prints the diagnostics of a missing or unfit secret and makes an obstacle of it.
    private func explained<Result>(
        _ plan: Plan,
        _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let rejected as PlanRejected {
            // Redaction looks at the text of the file, before it is rendered with marks and colors.
            let redactor = Redactor(hidden.secrets + resolver.found)
            for report in plan.shown(rejected.diagnostics) {
                report.redacted(by: redactor).printAsText()
            }
            throw RunObstacle(
                .environment(rejected.diagnostics.map(\.message).joined(separator: "; "))
            )
        } catch let stopped as SecretResolver.Stopped {
            throw RunObstacle(.signal(stopped.signal))
        }
    }
}

/// The secrets of a run, which standard error does not show; the run adds to them as it reads
/// values.
final class HiddenSecrets: Sendable {
    private struct State {
        var secrets: [Secret] = []
        var redactor: Redactor?
    }

    private let state = Lock(State())

    /// Finds the secrets in a text; nil when there are none.
    var redactor: Redactor? { state.withLock { $0.redactor } }

    /// Keeps those values out of standard error from now on.
    ///
    /// - Parameter secrets: All values that are known.
    /// - Returns: Finds the secrets in a text; nil when there are none.
    @discardableResult
    func hide(_ secrets: [Secret]) -> Redactor? {
        let redactor = Redactor(secrets)
        state.withLock { $0 = State(secrets: secrets, redactor: redactor) }
        if let redactor { StandardError.pass(through: { redactor.redacted($0) }) }
        return redactor
    }

    /// The values that are known so far.
    var secrets: [Secret] { state.withLock { $0.secrets } }
}
