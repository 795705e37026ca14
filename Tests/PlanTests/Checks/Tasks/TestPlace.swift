import Diagnostics
import JobFile
import Testing
import TransferModel

@testable import Plan

/// A task without a job, for the checks of single tasks.
enum TestPlace {
    /// The place of the task `it` with some settings, in flow style.
    static func of(_ kind: TaskSpec.Kind, _ settings: String) throws -> TaskPlace {
        let text = "it: {\(settings)}\n"
        let document = try #require(Document.parse(Array(text.utf8), name: "t.yaml").document)
        let entry = try #require(Array(document.entries(of: document.root)).first)
        return TaskPlace(
            document: document,
            entry: TaskList.Entry(key: entry.key, value: entry.value, kind: kind)
        )
    }

    /// What a check reports.
    static func findings(_ check: (inout DiagnosticLog) -> Void) -> [Diagnostic] {
        var log = DiagnosticLog(showsWarnings: true)
        check(&log)
        return log.diagnostics
    }

    /// A draft that was changed.
    static func draft(_ change: (inout TaskDraft) -> Void) -> TaskDraft {
        var draft = TaskDraft()
        change(&draft)
        return draft
    }

    /// A session of a kind that was changed.
    static func session(
        _ kind: SessionConfiguration.Kind = .ephemeral,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> SessionConfiguration {
        var session = SessionConfiguration(name: "s")
        session.kind = kind
        change(&session)
        return session
    }
}

extension [Diagnostic] {
    /// Codes and columns, as `column code`.
    var places: [String] { map { "\($0.range.start.column) \($0.code)" } }
}
