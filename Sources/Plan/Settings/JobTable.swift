internal import JobFile
internal import SystemKit
internal import TransferModel

/// The settings at the top level of a job file, with its sections still unread.
struct JobDraft: Sendable {
    var name: String?
    var identifier: String?
    var secrets: Field?
    var defaults: Field?
    var sessions: Field?
    /// The sections of tasks in file order.
    var sections: [(kind: TaskSpec.Kind, field: Field)] = []
    var schedule = ScheduleConfiguration()
    var report = ReportDraft()
    var hooks = HooksDraft()
    var network = NetworkDraft()
}

/// The settings of `report`.
struct ReportDraft: Sendable {
    /// The file of each report that the job asks for.
    var files: [ReportKind: PathValue] = [:]
    /// How much of each task the JSON report keeps.
    var detail = ReportDetail.full
}

/// The top level of a job file.
enum JobTable {
    static let table = SettingTable<JobDraft>(
        "job",
        [
            Setting(
                "version",
                version,
                isRequired: true,
                "The version of the job language."
            ) { _, _ in },
            Setting(
                "name",
                ValueType<String>(
                    .either(
                        .text(pattern: #"^[^/\x00-\x1f\x7f]{1,200}$"#),
                        .number(-1e15...1e15)
                    )
                ) { reader, field in
                    reader.text(field).flatMap { reader.parsed($0, of: field, name) }
                },
                default: .words("the file name without its extension"),
                "The name of the job in reports, locks and state."
            ) { $0.name = $1 },
            Setting(
                "identifier",
                ValueType<String>(pattern: IdentifierText.pattern) { text throws(ValueFault) in
                    try IdentifierText.parse(text, noun: "job")
                },
                default: .words("the path of the job file"),
                "The identity of the job, under which its lock, idempotency keys, cookies and "
                    + "other state continue wherever the job file lies."
            ) { $0.identifier = $1 },
            // Read by `Inclusion`.
            Setting(
                "include",
                .field(.oneOrMore(.text(pattern: nil, example: "shared/sessions.yaml"))),
                "Job files whose tasks, sessions, variables and secrets belong to this job, each "
                    + "relative to the folder of the file that includes it."
            ) { _, _ in },
            // Read before everything else, because everything else may use them.
            Setting(
                "variables",
                .field(.named(.scalar, pattern: "^[A-Za-z_][A-Za-z0-9_-]*$", hasFreeKeys: true)),
                "Values for `${var.name}`; `--var name=…` overrides them."
            ) { _, _ in },
            Setting(
                "secrets",
                .field(
                    .named(
                        .mapping(SecretTable.table.keys),
                        pattern: "^[A-Za-z_][A-Za-z0-9_-]*$",
                        hasFreeKeys: true
                    )
                ),
                "Values for `${secret.name}` that runner redacts: from the environment, a file or "
                    + "a command."
            ) { $0.secrets = $1 },
            Setting(
                "defaults",
                .field(.mapping(DefaultsTable.table.keys)),
                "Settings for each session or task that does not set its own."
            ) { $0.defaults = $1 },
            Setting(
                "sessions",
                .field(named(SessionTable.table.keys)),
                "Settings and connections that tasks share."
            ) { $0.sessions = $1 },
            section("data", .data, "Requests whose response runner checks but does not keep."),
            section("uploads", .upload, "Requests that carry a body."),
            section("downloads", .download, "Requests whose response becomes a file."),
            section(
                "webSockets",
                .webSocket,
                "Conversations over WebSockets (RFC 6455)."
            ),
            section("streams", .stream, "Conversations over TCP connections, with or without TLS."),
            Setting("schedule", ScheduleTable.table, "How runner starts the tasks.") {
                $1(&$0.schedule)
            },
            Setting("report", report, "The reports about the run.") { $1(&$0.report) },
            Setting(
                "network",
                NetworkTable.table,
                "Facts about the machine's network interfaces."
            ) {
                $1(&$0.network)
            },
            Setting(
                "hooks",
                HooksTable.table,
                "Programs that runner starts for events of the run."
            ) {
                $1(&$0.hooks)
            },
        ],
        shorthand: Shorthand(advice: form)
    )

    /// Advice for a job file that is no mapping.
    private static let form =
        "begin with `version: 1`, and write tasks under `data`, `uploads` or `downloads`, such as "
        + "`downloads: { name: \(TaskTable.download.keys.exampleText) }`"

    static let report = SettingTable<ReportDraft>(
        "report",
        ReportKind.allCases.map { kind in
            Setting(
                kind.rawValue,
                ValueType(
                    .text(pattern: nil, example: "report.\(kind == .junit ? "xml" : kind.rawValue)")
                ) {
                    reportPath($1, of: kind, &$0)
                },
                kind.summary
            ) { $0.files[kind] = $1 }
        } + [
            Setting(
                "detail",
                .choice(),
                default: "full",
                "What the JSON report keeps: `full`, all of every task; `failures`, all of each task that "
                    + "failed or was retried and one line of every other; `summary`, only the tasks that "
                    + "did not succeed, and the sums."
            ) { $0.detail = $1 }
        ]
    )

    /// The path of a report.
    private static func reportPath(
        _ field: Field,
        of kind: ReportKind,
        _ reader: inout Reader
    ) -> PathValue? {
        guard let path = PathType.destination(field, &reader) else { return nil }
        if kind == .events, path.path.hasByteSuffix(".gz") {
            reader.report(
                .badPath,
                "`events` is written while the run goes on, and is not compressed: choose a name "
                    + "without `.gz`",
                at: field.node
            )
            return nil
        }
        return path
    }

    private static func section(
        _ name: String,
        _ kind: TaskSpec.Kind,
        _ summary: String
    ) -> Setting<JobDraft> {
        Setting(name, .field(named(TaskTable.table(of: kind).keys)), summary) {
            $0.sections.append((kind, $1))
        }
    }

    /// Mappings of ids to mappings of a table.
    private static func named(_ keys: KeyTable) -> Shape {
        .named(.mapping(keys), pattern: TaskID.pattern, hasFreeKeys: true)
    }

    private static let version = ValueType<Int>(.integer(1...1)) { reader, field in
        guard let scalar = reader.scalar(field) else { return nil }
        if case .integer(1) = scalar.type { return 1 }
        if case .integer = scalar.type {
            reader.report(
                .unsupportedVersion,
                "`version`: this runner reads version 1, not `\(scalar.text)`",
                at: field.node
            )
        } else {
            let likely = ["1", "1.0", "v1"].contains(scalar.text) ? "1" : nil
            reader.reportType(field, "the integer 1", found: scalar, likely: likely)
        }
        return nil
    }

    private static func name(_ text: String) throws(ValueFault) -> String {
        guard !text.isEmpty, text.utf8.count <= 200,
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") })
        else {
            throw ValueFault(
                .badValue,
                "a name has 1 to 200 bytes, no slash and no control character"
            )
        }
        return text
    }
}

/// The values for sessions and tasks that do not set their own.
struct DefaultsDraft: Sendable {
    var session = SessionConfiguration(name: "default")
    var task = TaskDraft()
}

/// `defaults`: the settings of sessions, and the settings of tasks that are not specific to one
/// task.
enum DefaultsTable {
    static let table = SettingTable<DefaultsDraft>(
        "defaults",
        SessionTable.shared.map { $0.lifted { $1(&$0.session) } }
            + TaskTable.shared.map { $0.lifted { $1(&$0.task) } }
    )
}
