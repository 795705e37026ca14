package import SystemKit

/// How a run is displayed, by the values of `--progress`.
package enum ProgressStyle: String, Sendable, Hashable, CaseIterable {
    /// `bar` where lines can be redrawn, otherwise `plain`.
    case auto
    /// A repeatedly redrawn line for each running transfer and one for the run.
    case bar
    /// A line for each finished task.
    case plain
    case none

    /// The actual style for a stream: bars need lines that can be redrawn.
    package func resolved(for traits: TerminalTraits) -> ProgressStyle {
        switch self {
        case .auto, .bar: traits.canRedraw ? .bar : .plain
        case .plain, .none: self
        }
    }
}
