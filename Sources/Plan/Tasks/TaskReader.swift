internal import Diagnostics
internal import JobFile
internal import TransferModel

/// Makes the values of single tasks; used for all when a plan is made, and again for each that is started.
///
/// A class, so that a task that is read does not cost a copy of the sessions and defaults.
final class TaskReader: Sendable {
    let sessions: [SessionConfiguration]
    /// What `defaults` say of tasks.
    let defaults: TaskDraft
    /// Where secrets stand in the fields of each session.
    let sessionSecrets: [[SecretUse]]

    init(
        sessions: [SessionConfiguration],
        defaults: TaskDraft,
        sessionSecrets: [[SecretUse]]
    ) {
        self.sessions = sessions
        self.defaults = defaults
        self.sessionSecrets = sessionSecrets
    }

    private static let fileType = HeaderField(
        name: "Content-Type",
        value: "application/octet-stream"
    )
    private static let textType = HeaderField(
        name: "Content-Type",
        value: "text/plain; charset=utf-8"
    )
    private static let jsonType = HeaderField(name: "Content-Type", value: "application/json")

    /// Reads what the job file says of a task into a copy of `defaults`; false when it has a fault, which is reported.
    func read(
        _ entry: TaskList.Entry,
        into draft: inout TaskDraft,
        with reader: inout Reader
    ) -> Bool {
        let errors = reader.errorCount
        reader.owner = .task(entry.kind, entry.key)
        reader.filledInLength = 0
        if !reader.secretUses.isEmpty { reader.secretUses.removeAll() }
        let table = TaskTable.table(of: entry.kind)
        reader.apply(table, to: &draft, from: entry.value, ownedBy: entry.key)
        if draft.encoding != nil { checkEncoding(draft, entry, &reader) }
        if draft.session == nil { draft.session = onlySession(entry, &reader) }
        draft.content = content(of: draft, &reader)
        if !reader.secrets.isEmpty { checkSecrets(of: &draft, entry, &reader) }
        guard reader.errorCount == errors, !reader.isFull else { return false }
        if draft.idempotencyKey != nil { checkKey(draft, entry, &reader) }
        if let url = draft.url, url.origin.scheme == .http, let session = draft.session {
            let fields = draft.headers + sessions[session].httpAdditionalHeaders
            reader.warnOfPlainCredentials(to: url.origin, in: fields, of: entry.value)
        }
        return reader.errorCount == errors
    }

    /// Makes a task; nil when it has a fault, which is reported.
    func task(_ number: Int, _ entry: TaskList.Entry, with reader: inout Reader) -> TaskSpec? {
        var draft = defaults
        guard read(entry, into: &draft, with: &reader), let url = draft.url,
            let session = draft.session
        else { return nil }
        let place = reader.document.range(of: entry.key).start
        var task = TaskSpec(
            id: reader.document.text(of: entry.key),
            index: number,
            kind: entry.kind,
            session: session,
            request: request(url, draft, entry, sessions[session].httpAdditionalHeaders),
            source: SourceLocation(
                file: reader.document.name,
                line: place.line,
                column: place.column
            )
        )
        task.body = draft.content
        task.destination = draft.destination.map {
            TaskSpec.Destination(
                path: $0.path,
                displayPath: $0.text,
                // Whoever lets a server choose the name does not let it choose what is replaced.
                ifExists: draft.ifExists ?? ($0.isFolder ? .fail : .replace),
                checksum: draft.checksum,
                mode: draft.mode
            )
        }
        task.mirrors = draft.mirrors
        task.decodesBody = draft.decodesBody
        task.expectation = draft.expectation
        task.retry = draft.retry
        task.redirects = draft.redirects
        task.timeoutInterval = draft.timeoutInterval ?? sessions[session].timeoutIntervalForRequest
        task.description = draft.description
        return task
    }

    private func checkEncoding(
        _ draft: TaskDraft,
        _ entry: TaskList.Entry,
        _ reader: inout Reader
    ) {
        guard let encoding = draft.encoding,
            reader.document.value(of: entry.value, for: "json") == nil
        else { return }
        reader.report(
            .conflictingKeys,
            "`encoding`\(reader.context) is about `json`, which is not there",
            at: encoding.key
        )
    }

    /// The session of a task that names none: the only one.
    private func onlySession(_ entry: TaskList.Entry, _ reader: inout Reader) -> Int? {
        if sessions.count == 1 { return 0 }
        guard reader.document.value(of: entry.value, for: "session") == nil else { return nil }
        let names = reader.sessions.keys.sorted().map { "`\($0)`" }.joined(separator: ", ")
        reader.report(
            .sessionRequired,
            "the key `session`\(reader.context) is required, because there are several",
            at: entry.key,
            help: "name one of \(names)"
        )
        return nil
    }

    private func content(of draft: TaskDraft, _ reader: inout Reader) -> BodySource? {
        switch draft.body {
        case .file(let path): return .file(path: path)
        case .text(let text): return .bytes(Array(text.utf8))
        case .json(let field):
            let formatting = draft.encoding?.formatting ?? JSONFormatting()
            return reader.json(field, formatting, isSent: true).map { .bytes($0) }
        case nil: return nil
        }
    }

    /// The request with the task's own fields, those of its body, then those of the session.
    private func request(
        _ url: HTTPURL,
        _ draft: TaskDraft,
        _ entry: TaskList.Entry,
        _ inherited: [HeaderField]
    ) -> RequestSpec {
        var headers = HeaderFieldsType.merge(draft.headers, over: inherited)
        if let key = draft.idempotencyKey {
            headers.append(HeaderField(name: "Idempotency-Key", value: key))
        }
        let type: HeaderField? =
            switch draft.body {
            case .json: Self.jsonType
            case .text: Self.textType
            case .file: Self.fileType
            case nil: nil
            }
        if let type, !headers.contains(type.name) { headers.append(type) }
        let usual = entry.kind == .upload ? "POST" : "GET"
        return RequestSpec(method: draft.method ?? usual, url: url, headers: headers)
    }

    private func checkKey(_ draft: TaskDraft, _ entry: TaskList.Entry, _ reader: inout Reader) {
        guard draft.idempotencyKey != nil, draft.headers.contains("Idempotency-Key"),
            let key = reader.document.value(of: entry.value, for: "idempotencyKey")?.key
        else { return }
        reader.report(
            .conflictingKeys,
            "`idempotencyKey`\(reader.context) is also set among its `headers`",
            at: key
        )
    }
}
