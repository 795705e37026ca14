internal import TransferModel

/// The commands of other threads to an engine thread.
struct EngineMailbox: Sendable {
    /// Some attempts of a list; the other threads have the rest.
    struct Starts: Sendable {
        let attempts: [AttemptRequest]
        let positions: [Int]
    }

    var starts: [Starts] = []
    var cancellations: [Int] = []
    var wantsProgress = false
    var hasNetworkChanged = false
    var endsRefreshes = false
    var isStopped = false
    /// When the engine, once stopping, gives up refreshing stored responses; nil leaves that to
    /// the engine.
    var refreshLimit: MonotonicTime?

    var isEmpty: Bool {
        starts.isEmpty && cancellations.isEmpty && !wantsProgress && !hasNetworkChanged
            && !endsRefreshes && !isStopped
    }
}
