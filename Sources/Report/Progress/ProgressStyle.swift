package import SystemKit
package import TransferModel

/// How a run is displayed, by the values of `--progress`.
package enum ProgressStyle: String, Sendable, Hashable, CaseIterable {
    /// `bar` where lines can be redrawn, otherwise `plain`.
    case auto
    /// A repeatedly redrawn line for each running transfer and one for the run.
    case bar
    /// A line for each finished task, and one every 30 s while tasks run.
    case plain
    /// A line for each task that is not done, then the totals; nothing if all tasks are done.
    case failures
    /// An event in each line, as JSON.
    case json
    case none

    /// The actual style for a stream: bars need lines that can be redrawn.
    package func resolved(for traits: TerminalTraits) -> ProgressStyle {
        switch self {
        case .auto, .bar: traits.canRedraw ? .bar : .plain
        case .plain, .failures, .json, .none: self
        }
    }

    /// Whether a run without failures says nothing to a reader.
    package var isQuiet: Bool {
        switch self {
        case .failures, .json, .none: true
        case .auto, .bar, .plain: false
        }
    }
}

/// A listener that shows a run while it runs.
package protocol ProgressListener: RunEventSink {
    /// The wanted interval of `progress` events; nil for none.
    var progressInterval: Duration? { get }
}
