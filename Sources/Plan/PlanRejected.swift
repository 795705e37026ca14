package import Diagnostics

/// Why there is no plan: every fault that was found, and warnings among them.
package struct PlanRejected: Error, Sendable, CustomStringConvertible {
    /// An id of `--only` that no task has.
    package struct UnknownTask: Sendable, Hashable {
        /// The unknown id as the user wrote it.
        package var id: String
        /// The id that was perhaps meant.
        package var nearest: String?

        /// Creates a fault of one id; `nearest` is nil when no id of the job is similar.
        package init(id: String, nearest: String?) {
            self.id = id
            self.nearest = nearest
        }
    }

    /// In file order.
    package let diagnostics: [Diagnostic]
    /// Faults of data files, each with the text of its row.
    package let dataFaults: [FileDiagnostics]
    /// The fault of `--only`, which is no fault of the file.
    package let unknownTasks: [UnknownTask]
    /// The variables of the environment that have values of the job's secrets: the faults may quote
    /// these.
    package let secretVariables: Set<String>
    /// The fault of `--report` or `--shard`, which is no fault of the file either.
    package let optionFault: String?

    /// At least one diagnostic must be an error, or an option must have a fault.
    package init(
        diagnostics: [Diagnostic],
        dataFaults: [FileDiagnostics] = [],
        unknownTasks: [UnknownTask] = [],
        secretVariables: Set<String> = [],
        optionFault: String? = nil
    ) {
        self.diagnostics = diagnostics
        self.dataFaults = dataFaults
        self.unknownTasks = unknownTasks
        self.secretVariables = secretVariables
        self.optionFault = optionFault
    }

    /// Whether a task cannot be read any more because a data file has changed since the plan was
    /// made.
    package var isChangedData: Bool {
        diagnostics.contains { $0.code == JobCode.missingFile.rawValue }
    }

    /// The first error's message; empty when there is none.
    package var summary: String {
        diagnostics.first { $0.severity == .error }?.message ?? ""
    }

    /// The most Unicode scalars of a fault that `description` shows: it may quote a peer's text.
    private static let shownScalars = 300

    /// The first fault and its place, cut to a length that fits into a message.
    package var description: String {
        guard let fault = diagnostics.first(where: { $0.severity == .error }) else {
            return "there is no plan"
        }
        let place = fault.range.start
        let message = fault.message.unicodeScalars
        let shown = message.prefix(Self.shownScalars)
        let rest = shown.endIndex == message.endIndex ? "" : "…"
        return "line \(place.line), column \(place.column): \(String(shown))\(rest)"
    }

    /// Whether the file itself is valid.
    package var isOnlyAboutOptions: Bool {
        (!unknownTasks.isEmpty || optionFault != nil) && dataFaults.isEmpty
            && diagnostics.allSatisfy { $0.severity == .warning }
    }

    /// Whether every error is a missing variable, file or secret, so that the job file itself may
    /// be valid.
    package var isEnvironment: Bool {
        dataFaults.isEmpty
            && diagnostics.allSatisfy {
                $0.severity == .warning || JobCode(rawValue: $0.code)?.isEnvironment ?? false
            }
    }
}
