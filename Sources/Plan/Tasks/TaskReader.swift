internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// Makes the values of single tasks; used for all when a plan is made, and again for each that is
/// started.
///
/// A class, so that a task that is read does not cost a copy of the sessions and defaults.
final class TaskReader: Sendable {
    let sessions: [SessionConfiguration]
    /// The settings of `defaults` for tasks.
    let defaults: TaskDraft
    /// Where secrets stand in the fields of each session.
    let sessionSecrets: [[SecretUse]]
    /// What each session signs requests with.
    let signers: [[Credential]]
    /// Whether there is a background session.
    let hasBackground: Bool

    init(
        sessions: [SessionConfiguration],
        defaults: TaskDraft,
        sessionSecrets: [[SecretUse]]
    ) {
        self.sessions = sessions
        self.defaults = defaults
        self.sessionSecrets = sessionSecrets
        signers = sessions.map { $0.credentials.filter(\.isSigner) }
        hasBackground = sessions.contains { $0.kind == .background }
    }

    /// Reads what the job file says of a task into a copy of `defaults`; false when it has a fault,
    /// which is reported.
    func read(
        _ entry: TaskList.Entry,
        into draft: inout TaskDraft,
        with reader: inout Reader
    ) -> Bool {
        let errors = reader.errorCount
        begin(entry, &reader)
        let table = TaskTable.table(of: entry.kind)
        reader.apply(table, to: &draft, from: entry.value, ownedBy: entry.key)
        return finish(entry, &draft, &reader, errors: errors)
    }

    /// Reads what is the same in all tasks of a `forEach`; returns what depends on the row, for
    /// `readRow`.
    func readCommon(
        _ entry: TaskList.Entry,
        into draft: inout TaskDraft,
        with reader: inout Reader
    ) -> [DeferredValue] {
        begin(entry, &reader)
        reader.deferred = []
        let table = TaskTable.table(of: entry.kind)
        reader.apply(table, to: &draft, from: entry.value, ownedBy: entry.key)
        draft.isOrderOfRun = reader.isOrderOfRun
        defer { reader.deferred = nil }
        return reader.deferred ?? []
    }

    /// Reads what depends on the reader's row; false when it has a fault, which is reported.
    ///
    /// `uses` says where secrets stand in what `readCommon` has read.
    func readRow(
        _ values: [DeferredValue],
        uses: [SecretUse],
        of entry: TaskList.Entry,
        into draft: inout TaskDraft,
        with reader: inout Reader
    ) -> Bool {
        let errors = reader.errorCount
        begin(entry, &reader)
        reader.secretUses = uses
        let table = TaskTable.table(of: entry.kind)
        for value in values { table.reads[value.position]?(&draft, &reader, value.field) }
        return finish(entry, &draft, &reader, errors: errors)
    }

    private func begin(_ entry: TaskList.Entry, _ reader: inout Reader) {
        reader.owner = .task(entry.kind, entry.key)
        reader.filledInLength = 0
        reader.isOrderOfRun = false
        if !reader.secretUses.isEmpty { reader.secretUses.removeAll() }
    }

    /// Checks a task whose settings are read; false when one of them or of the checks has found a
    /// fault.
    private func finish(
        _ entry: TaskList.Entry,
        _ draft: inout TaskDraft,
        _ reader: inout Reader,
        errors: Int
    ) -> Bool {
        if draft.ifExists == .skip, !draft.expectation.captures.isEmpty {
            reportSkippedCapture(entry, &reader)
        }
        if !draft.mirrors.isEmpty { checkMirrors(draft, entry, &reader) }
        if let encoding = draft.encoding { checkEncoding(encoding, of: entry, &reader) }
        if draft.session == nil { draft.session = onlySession(entry, &reader) }
        if draft.ifExists == .revalidate, let session = draft.session.map({ sessions[$0] }),
            session.keptCache == nil
        {
            reader.reportMissingCache(of: entry, session)
        }
        reader.isReadingBody = true
        draft.content = content(of: draft, entry, &reader)
        reader.isReadingBody = false
        let errorsBefore = reader.errorCount
        if !reader.secrets.isEmpty { checkSecrets(of: &draft, entry, &reader) }
        // Of a secret that goes there more is said than of any field that looks like one.
        if let url = draft.url, url.origin.scheme == .http, let session = draft.session,
            reader.errorCount == errorsBefore
        {
            let fields = draft.headers + sessions[session].httpAdditionalHeaders
            reader.warnOfPlainCredentials(to: url.origin, in: fields, of: entry.value)
        }
        guard reader.errorCount == errors, !reader.isFull else { return false }
        checkSignedRequest(of: draft, entry, &reader)
        checkBody(of: draft, entry, &reader)
        if hasBackground, !reader.isReadingAgain { checkBackground(draft, entry, &reader) }
        if draft.idempotencyKey != .none { checkKey(draft, entry, &reader) }
        if draft.allowedAccess != draft.deniedAccess { checkAccess(of: draft, entry, &reader) }
        return reader.errorCount == errors
    }

    /// Makes a task; nil when it has a fault, which is reported.
    func task(
        _ number: Int,
        _ entry: TaskList.Entry,
        id: String,
        with reader: inout Reader
    ) -> TaskSpec? {
        var draft = defaults
        guard read(entry, into: &draft, with: &reader) else { return nil }
        return task(number, entry, id: id, draft, with: &reader)
    }

    /// Makes the task of a draft that `read` found right.
    func task(
        _ number: Int,
        _ entry: TaskList.Entry,
        id: String,
        _ draft: consuming TaskDraft,
        with reader: inout Reader
    ) -> TaskSpec? {
        guard let url = draft.url, let session = draft.session else { return nil }
        if draft.encoding?.value.content == .gzip, case .bytes(let bytes)? = draft.content {
            guard let compressed = Gzip.compress(bytes) else {
                reportGzip(entry, &reader)
                return nil
            }
            draft.content = .compressed(compressed, originalCount: bytes.count)
        }
        let request = request(url, draft, entry, sessions[session].httpAdditionalHeaders)
        return TaskSpec(
            id: id,
            index: number,
            kind: entry.kind,
            session: session,
            request: request,
            body: draft.content,
            wantsKey: draft.idempotencyKey == .auto,
            uploadResume: uploadResume(of: draft, session),
            destination: draft.destination.map {
                TaskSpec.Destination(
                    path: $0.path,
                    displayPath: $0.text,
                    // Whoever lets a server choose the name does not let it choose what is
                    // replaced.
                    ifExists: draft.ifExists ?? ($0.isFolder ? .fail : .replace),
                    checksum: draft.checksum,
                    mode: draft.mode,
                    resume: resume(of: draft, entry, sessions[session])
                )
            },
            mirrors: draft.mirrors,
            decodesBody: draft.decodesBody ?? Self.decodes(request, of: entry.kind),
            expectation: draft.expectation,
            retry: draft.retry,
            redirects: draft.redirects,
            timeoutInterval: draft.timeoutInterval ?? sessions[session].timeoutIntervalForRequest,
            earliestBeginDate: draft.earliestBeginDate,
            access: sessions[session].access.subtracting(draft.deniedAccess),
            cachePolicy: draft.cachePolicy ?? sessions[session].requestCachePolicy,
            description: draft.description,
            source: Self.source(entry, in: reader.document)
        )
    }

    /// Whether a body is decoded when nobody says so, as URLSession does.
    ///
    /// A file is stored as it is sent. So is what a task asks for in a coding of its own, or in
    /// part.
    private static func decodes(_ request: RequestSpec, of kind: TaskSpec.Kind) -> Bool {
        kind != .download && !request.headers.contains("accept-encoding")
            && !request.headers.contains("range")
    }

    /// What is kept of a download that is cut; only a job that says so leaves files of an ephemeral
    /// session.
    private func resume(
        of draft: TaskDraft,
        _ entry: TaskList.Entry,
        _ session: SessionConfiguration
    ) -> TaskSpec.Resume {
        guard entry.kind == .download, draft.resumes != false else { return .nothing }
        return draft.resumes == nil && session.kind == .ephemeral ? .withinRun : .acrossRuns
    }

    /// What is kept of an upload that is cut; a signature is that of the whole body.
    private func uploadResume(of draft: TaskDraft, _ session: Int) -> TaskSpec.Resume {
        guard draft.resumable != ResumableUpload.none, signers[session].isEmpty else {
            return .nothing
        }
        switch draft.content {
        case .bytes(let bytes), .compressed(let bytes, _):
            guard bytes.count >= TaskSpec.leastResumableCount else { return .nothing }
        case .file, .multipart: break
        case .command, .pipe, nil: return .nothing
        }
        let isPassing = draft.resumable == nil && sessions[session].kind == .ephemeral
        return isPassing ? .withinRun : .acrossRuns
    }

    /// What is known of a task without what others capture for it; its faults were found before.
    func outline(_ entry: TaskList.Entry, with reader: inout Reader) -> TaskOutline {
        var draft = defaults
        _ = read(entry, into: &draft, with: &reader)
        let document = reader.document
        let url = document.value(of: entry.value, for: "url").flatMap { found in
            reader.shownURL(Field(name: "url", key: found.key, node: found.value))
                ?? document.text(of: found.value)
        }
        return TaskOutline(
            session: draft.session,
            method: draft.method ?? Self.usualMethod(entry.kind),
            url: url ?? "",
            description: draft.description,
            source: Self.source(entry, in: document)
        )
    }

    private static func usualMethod(_ kind: TaskSpec.Kind) -> String {
        kind == .upload ? "POST" : "GET"
    }

    private static func source(_ entry: TaskList.Entry, in document: Document) -> SourceLocation {
        let place = document.range(of: entry.key).start
        return SourceLocation(file: document.name, line: place.line, column: place.column)
    }

    /// A file that is kept brings no response that something could be captured from.
    private func reportSkippedCapture(_ entry: TaskList.Entry, _ reader: inout Reader) {
        guard let key = reader.document.value(of: entry.value, for: "capture")?.key else { return }
        reader.report(
            .conflictingKeys,
            "`capture`\(reader.context) has no response to look into when `ifExists: skip` keeps the file",
            at: key
        )
    }

    /// A mirror has a copy of a file; what a POST asks for is done where it goes, and would be done
    /// by each of them.
    private func checkMirrors(_ draft: TaskDraft, _ entry: TaskList.Entry, _ reader: inout Reader) {
        guard let method = draft.method, method != "GET", method != "HEAD" else { return }
        reader.report(
            .conflictingKeys,
            "`mirrors`\(reader.context) have copies of what a GET asks for, and its method is \(method)",
            at: reader.document.value(of: entry.value, for: "mirrors")?.key ?? entry.key
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

    /// The request with the task's own fields, those of its body, then those of the session.
    private func request(
        _ url: HTTPURL,
        _ draft: TaskDraft,
        _ entry: TaskList.Entry,
        _ inherited: [HeaderField]
    ) -> RequestSpec {
        var headers = HeaderFieldsType.merge(draft.headers, over: inherited)
        if case .value(let key) = draft.idempotencyKey {
            headers.append(HeaderField(name: IdempotencyKeyField.name, value: key))
        }
        addBodyFields(of: draft, to: &headers)
        let method = draft.method ?? Self.usualMethod(entry.kind)
        return RequestSpec(method: method, url: url, headers: headers)
    }

    private func checkKey(_ draft: TaskDraft, _ entry: TaskList.Entry, _ reader: inout Reader) {
        guard let key = reader.document.value(of: entry.value, for: "idempotencyKey")?.key else {
            return
        }
        if draft.headers.contains(IdempotencyKeyField.name) {
            reader.report(
                .conflictingKeys,
                "`idempotencyKey`\(reader.context) is also set among its `headers`",
                at: key
            )
        } else if let session = draft.session.map({ sessions[$0] }),
            session.httpAdditionalHeaders.contains(IdempotencyKeyField.name)
        {
            reader.report(
                .conflictingKeys,
                "`idempotencyKey`\(reader.context) is also set among the `httpAdditionalHeaders` "
                    + "of session `\(session.name.excerpt)`",
                at: key
            )
        }
        if draft.idempotencyKey == .auto, draft.isOrderOfRun || reader.isOrderOfRun {
            reader.warnOfOrderOfRun(at: key, "with another idempotency key")
        }
        if draft.idempotencyKey == .auto, case .stream? = draft.body {
            reader.report(
                .conflictingKeys,
                "`idempotencyKey: auto`\(reader.context) belongs to a body that is known before it is sent, "
                    + "which that of a `stream` is not",
                at: key,
                help: "write a value that names the order"
            )
        }
    }
}
