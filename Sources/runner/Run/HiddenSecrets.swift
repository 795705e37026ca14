import Report
import SystemKit
import TransferModel

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
