internal import TransferModel

/// The values for sessions and tasks that do not set their own.
struct DefaultsDraft: Sendable {
    var session = SessionConfiguration(name: "default")
    var task = TaskDraft()
}

/// `defaults`: the settings of sessions and those of tasks that are no task's own.
enum DefaultsTable {
    static let table = SettingTable<DefaultsDraft>(
        "defaults",
        SessionTable.shared.map { $0.lifted { $1(&$0.session) } }
            + TaskTable.shared.map { $0.lifted { $1(&$0.task) } }
    )
}
