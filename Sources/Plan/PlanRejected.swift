package import Diagnostics

/// Why there is no plan: every fault that was found, and warnings among them.
package struct PlanRejected: Error, Sendable, Hashable {
    /// In file order; at least one is an error.
    package let diagnostics: [Diagnostic]

    /// At least one must be an error.
    package init(diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics
    }

    /// Whether every error is a missing variable or file, so that the job file itself may be right.
    package var isEnvironment: Bool {
        diagnostics.allSatisfy {
            $0.severity == .warning || JobCode(rawValue: $0.code)?.isEnvironment ?? false
        }
    }
}
