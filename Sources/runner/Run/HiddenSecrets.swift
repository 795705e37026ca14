import Report
import SystemKit
import TransferModel

/// The secrets of a run that standard error is kept free of; they become more as the run gets to know them.
final class HiddenSecrets: Sendable {
    private struct State {
        var secrets: [Secret] = []
        var redactor: Redactor?
    }

    private let state = Lock(State())

    /// What finds them; nil when there are none.
    var redactor: Redactor? { state.withLock { $0.redactor } }

    /// From now on standard error has none of those values.
    ///
    /// - Parameter secrets: All that are known.
    /// - Returns: What finds them, nil when there are none.
    @discardableResult
    func hide(_ secrets: [Secret]) -> Redactor? {
        let redactor = Redactor(secrets)
        state.withLock { $0 = State(secrets: secrets, redactor: redactor) }
        if let redactor { StandardError.pass(through: { redactor.redacted($0) }) }
        return redactor
    }

    /// Those that are known so far.
    var secrets: [Secret] { state.withLock { $0.secrets } }
}
