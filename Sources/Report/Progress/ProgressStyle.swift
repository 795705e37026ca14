package import SystemKit

/// How a run is shown while it goes on, as `--progress` names it.
package enum ProgressStyle: String, Sendable, Hashable, CaseIterable {
    /// `bar` where lines can be drawn again, else `plain`.
    case auto
    /// A line for each running transfer and one for all, drawn again and again.
    case bar
    /// A line for each finished task.
    case plain
    case none

    /// What is shown on a stream with those traits: bars need lines that can be drawn again.
    package func resolved(for traits: TerminalTraits) -> ProgressStyle {
        switch self {
        case .auto, .bar: traits.canRedraw ? .bar : .plain
        case .plain, .none: self
        }
    }
}
