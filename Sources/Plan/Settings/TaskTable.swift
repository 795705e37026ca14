internal import Diagnostics
internal import JobFile
internal import TransferModel

/// `data`, `uploads` and `downloads`: the settings of their tasks, and those of every task.
enum TaskTable {
    static func table(of kind: TaskSpec.Kind) -> SettingTable<TaskDraft> {
        switch kind {
        case .data: data
        case .upload: upload
        case .download: download
        case .webSocket: WebSocketTable.table
        case .stream: StreamTaskTable.table
        }
    }

    static let data = SettingTable<TaskDraft>(
        "data",
        common + [
            method(MethodText.parse, pattern: MethodText.pattern, default: "GET"), responseTo,
            Setting(
                "becomeDownload",
                BecomeDownloadTable.type,
                "A larger response body is written to a file, as in a download."
            ) {
                $0.destination = $1.path
                $0.sizeToExceed = $1.size
            },
            mixedReplace,
        ]
    )

    static let upload = SettingTable<TaskDraft>(
        "upload",
        common + [
            method(
                MethodText.parseUpload,
                pattern: MethodText.uploadPattern,
                default: "POST"
            ), responseTo,
            Setting(
                "json",
                .field(.anything),
                "Any YAML value, sent as JSON; `{ fromFile: path }` alone names a file of JSON."
            ) { $0.body = .json($1) },
            Setting(
                "file",
                PathType.existingType,
                "The file to send, relative to the job file's folder."
            ) { $0.body = .file($1.path) },
            Setting(
                "text",
                textBody,
                "The text to send; `{ fromFile: path }` names the file with it."
            ) { $0.body = $1 },
            Setting("form", FormType.type, "Names and values, encoded like an HTML form.") {
                $0.body = .form($1)
            },
            Setting(
                "multipart",
                MultipartType.type,
                "Names and parts, sent as `multipart/form-data`: a text, or a mapping with "
                    + "`text`, `json` or `file`."
            ) { $0.body = .multipart($1) },
            Setting(
                "stream",
                ValueType<StreamDraft>(.mapping(StreamTable.table.keys)) { reader, field in
                    var stream = StreamDraft()
                    reader.apply(StreamTable.table, to: &stream, in: field)
                    return stream
                },
                "The output of a program or the content of a named pipe, sent while it arrives."
            ) { $0.body = .stream($1) },
            Setting(
                "encoding",
                ValueType<TaskDraft.Encoding>(.mapping(EncodingTable.table.keys)) { reader, field in
                    var encoding = BodyEncoding()
                    reader.apply(EncodingTable.table, to: &encoding, in: field)
                    return TaskDraft.Encoding(node: field.node, value: encoding)
                },
                "JSON options as in JSONEncoder, and the compression of the body."
            ) { $0.encoding = $1 },
            Setting(
                "idempotencyKey",
                IdempotencyKeyText.type,
                default: "none",
                "A key by which the server recognizes a repeated request: `none`, `auto` (made by "
                    + "runner) or a value."
            ) { $0.idempotencyKey = $1 },
            Setting(
                "resumable",
                .choice(),
                default: .words("auto; only within a run in an ephemeral session"),
                "Whether an interrupted upload of 1 MiB or more resumes if the server supports "
                    + "it: `auto` or `none`."
            ) { $0.resumable = $1 },
        ],
        exactlyOneOf: ["json", "file", "text", "form", "multipart", "stream"]
    )

    private static let textBody = ValueType<TaskDraft.Body>(
        .either(.text(pattern: nil), .mapping(TemplateBody.table.keys))
    ) { reader, field in
        reader.document.kind(of: field.node) == .mapping
            ? .textFile(field)
            : ValueType<String>.bodyText.read(&reader, field).map { .text($0) }
    }

    static let download = SettingTable<TaskDraft>(
        "download",
        common + [
            method(MethodText.parse, pattern: MethodText.pattern, default: "GET"),
            Setting(
                "to",
                downloadDestination,
                isRequired: true,
                "The file for the response body, relative to the job file's folder; a folder "
                    + "ending in `/` lets the server name the file."
            ) { $0.destination = $1 },
            Setting(
                "mirrors",
                .list(of: URLType.type),
                default: "[]",
                "Other URLs of the same file, tried in order after a failed attempt; with a "
                    + "`checksum`, `segments` asks them for parts at the same time."
            ) { $0.mirrors = $1 },
            Setting(
                "checksum",
                ChecksumTable.type,
                "`sha256:` or `sha512:` and the digest of the file, or the URL of a checksum "
                    + "list; runner does not download a file that already matches."
            ) { $0.checksum = $1 },
            Setting(
                "signature",
                DetachedSignatureTable.type,
                "The detached signature of the file: the file gets its name only after a program has "
                    + "vouched for its bytes."
            ) { $0.signature = $1 },
            Setting(
                "ifExists",
                .choice(),
                default: "replace",
                "What to do when the destination exists; with `checksum`, only a file that "
                    + "matches it is kept. Without this key a name that a server chose replaces "
                    + "only a file that the same task wrote."
            ) { $0.ifExists = $1 },
            Setting(
                "extract",
                ExtractTable.type,
                "The folder into which runner extracts the file, a tar or zip archive; a mapping "
                    + "also has limits."
            ) { $0.archive = $1 },
            Setting(
                "mode",
                FileModeType.type,
                default: .words("those of the replaced file, else from the umask"),
                "The file's permission bits in octal, in quotes, such as `\"0644\"`."
            ) { $0.mode = $1 },
            Setting(
                "modificationDate",
                .choice(),
                default: "now",
                "The file's time of modification: `now`, when it is written, or `server`, the "
                    + "`Last-Modified` of the response if it has a valid one."
            ) { $0.modificationDate = $1 },
            Setting(
                "resume",
                .boolean,
                default: .words("true; only within a run in an ephemeral session"),
                "Whether an interrupted download resumes, also in a later run."
            ) { $0.resumes = $1 },
            Setting(
                "segments",
                SegmentsType.type,
                default: "1",
                "The number of connections that fetch the file at the same time, each another part "
                    + "of it: from 1 to \(TaskSpec.Segments.most), or `auto`."
            ) { $0.segments = $1 },
            mixedReplace,
        ]
    )

    /// The keys of every task with a request and a response.
    private static let common: [Setting<TaskDraft>] =
        [
            sessionName,
            Setting(
                "url",
                URLType.task,
                isRequired: true,
                "An absolute http, https, ftp, ftps or sftp URL; of a data task or a download also "
                    + "a data or file URL."
            ) { $0.url = $1 },
        ] + general + [
            Setting(
                "decode",
                .boolean,
                default: .words("true; downloads false"),
                "Whether runner requests and decodes gzip, br and zstd."
            ) { $0.decodesBody = $1 },
            Setting(
                "capture",
                CaptureTable.type,
                "Named values from the response, for `${task.ID.name}` in later tasks."
            ) { $0.expectation.captures = $1 },
            CacheTable.taskPolicy,
        ] + shared + NetworkAccessTable.task

    /// The key that chooses the session of a task.
    static let sessionName = Setting<TaskDraft>(
        "session",
        session.neededBeforeTheRun(),
        default: .words("the only session"),
        "The session of the task."
    ) {
        $0.session = $1
    }

    /// The keys of every task that sends header fields.
    static let general: [Setting<TaskDraft>] = [
        Setting("headers", HeaderFieldsType.task, "Header fields of the request.") {
            $0.headers = $1
        },
        Setting(
            "timeoutInterval",
            .durationOrUnlimited,
            default: .words("the session's timeoutIntervalForRequest"),
            "The longest time without a byte in either direction."
        ) {
            $0.timeoutInterval = .some($1.map { TimeLimit(.timeoutInterval, $0) })
        },
        Setting(
            "priority",
            priority.neededBeforeTheRun(),
            default: "0.5",
            "From 0 to 1, or low, default, high: tasks with a higher priority start first."
        ) { $0.priority = $1 },
        Setting(
            "needs",
            needs.neededBeforeTheRun(),
            default: "[]",
            "Ids of tasks that must succeed before this task starts: a list, or one id."
        ) { $0.needs = $1 },
        Setting(
            "when",
            WhenTable.type,
            default: .words("all `needs` succeeded"),
            "Conditions that must all hold, or else the task is skipped; of a list of mappings, "
                + "one must hold."
        ) { $0.when = $1 },
        Setting(
            "required",
            ValueType.boolean.neededBeforeTheRun(),
            default: "true",
            "Whether a failure of this task fails the run."
        ) { $0.isRequired = $1 },
        Setting(
            "description",
            .text,
            "A description, shown as `taskDescription` in reports."
        ) { $0.description = $1 },
        Setting(
            "earliestBeginDate",
            BeginDateText.type,
            "The earliest start of the task: an RFC 3339 date, or a duration after the run's "
                + "start."
        ) { $0.earliestBeginDate = $1 },
        // Read before the tasks, because it says how many there are.
        Setting(
            "forEach",
            .field(.mapping(ForEachTable.table.keys)),
            "Makes one task for each item; `${item…}` fills in the values of the item."
        ) { _, _ in },
    ]

    /// The keys that `defaults` may also have.
    static let shared: [Setting<TaskDraft>] = [
        retry,
        Setting("expect", ExpectTable.table, "The requirements for a response.") {
            $1(&$0.expectation)
        },
        redirects,
    ]

    /// The key for repeating attempts.
    static let retry = Setting<TaskDraft>(
        "retry",
        RetryTable.table,
        "When runner repeats a failed attempt; a number is the most attempts."
    ) { $1(&$0.retry) }

    /// The key for following redirects.
    static let redirects = Setting<TaskDraft>(
        "redirects",
        RedirectTable.table,
        "Which redirects runner follows."
    ) { $1(&$0.redirects) }

    private static func method(
        _ parse: @escaping @Sendable (String) throws(ValueFault) -> String,
        pattern: @autoclosure @escaping @Sendable () -> String,
        default: DefaultValue
    ) -> Setting<TaskDraft> {
        Setting(
            "method",
            ValueType(pattern: pattern(), parse: parse),
            default: `default`,
            "The request method."
        ) { $0.method = $1 }
    }

    private static let downloadDestination = ValueType<PathValue>(
        .text(pattern: nil, example: "file")
    ) {
        PathType.destination($1, mayBeFolder: true, &$0)
    }

    private static let responseTo = Setting<TaskDraft>(
        "responseTo",
        PathType.destinationType,
        "The file for the response body, relative to the job file's folder."
    ) { $0.destination = $1 }

    private static let mixedReplace = Setting<TaskDraft>(
        "mixedReplace",
        MixedReplaceTable.type,
        "What becomes of the parts of a `multipart/x-mixed-replace` response, each of which is a "
            + "response of its own."
    ) { $0.mixedReplace = $1 }

    /// The names are URLSessionTask's `lowPriority`, `defaultPriority` and `highPriority`.
    private static let priority = ValueType.number(
        0...1,
        orNamed: [("low", 0.25), ("default", 0.5), ("high", 0.75)]
    )

    private static let session = ValueType<Int>(.text(pattern: nil, example: "session")) {
        reader,
        field in
        let help = "declare it under `sessions`, and write its name here"
        guard reader.isKind(.scalar, "the name of a session", field, help: help),
            let name = reader.text(field)
        else { return nil }
        if let position = reader.sessions[name] { return position }
        let sessions = reader.sessions.keys
        let nearest = reader.faults.hints.nearest(name, among: sessions.sorted())
        let fault = ValueFault(
            .unknownSession,
            "there is no session `\(name.excerpt)`",
            likely: nearest,
            help: "declare it under `sessions`"
        )
        reader.report(fault, of: field)
        return nil
    }

    private static let needs = ValueType<[Need]>(
        .either(.text(pattern: nil), .list(NeedType.need.shape))
    ) { reader, field in
        // The plan's graph has them.
        if reader.isReadingAgain { return [] }
        if reader.document.kind(of: field.node) == .scalar {
            return NeedType.need.read(&reader, field).map { [$0] }
        }
        guard let needs = reader.elements(field, of: NeedType.need) else { return nil }
        guard needs.count > 1 else { return needs }
        var known: Set<Need> = []
        return needs.filter { known.insert($0).inserted }
    }
}
