internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// Reads and checks the settings of single tasks: of all tasks when a plan is made, and of each
/// task again when it starts.
struct TaskReader: Sendable {
    let shared: SharedSettings

    /// Reads a task's settings in the job file into a copy of `defaults`; false when it has a
    /// fault, which is reported.
    func read(
        _ entry: TaskList.Entry,
        into draft: inout TaskDraft,
        with reader: inout Reader
    ) -> Bool {
        read(entry, &draft, &reader) { table, draft, reader in
            reader.apply(table, to: &draft, from: entry.value, ownedBy: entry.key)
        }
    }

    /// The alternatives of a task's `when` whose comparisons hold; all after a fault, which the
    /// reading of the whole task reports.
    func heldAlternatives(of task: Int, with reader: inout Reader) -> AlternativeSet {
        let entry = reader.values.tasks.entry(of: task)
        guard let found = reader.document.value(of: entry.value, for: "when"),
            (try? reader.enterRow(of: task)) != nil
        else { return .all }
        begin(entry, &reader)
        let field = Field(name: "when", key: found.key, node: found.value)
        return reader.with(\.decidesCondition, true) {
            WhenTable.type.read(&$0, field)?.held ?? .all
        }
    }

    /// Reads one task of the reader's list; nil when its row is lost.
    func draft(of task: Int, with reader: inout Reader) -> TaskDraft? {
        guard (try? reader.enterRow(of: task)) != nil else { return nil }
        var draft = shared.defaults
        _ = read(reader.values.tasks.entry(of: task), into: &draft, with: &reader)
        return draft
    }

    /// Reads the common settings of all tasks of a `forEach`; returns the values that depend on the
    /// row, for `readRow`.
    func readCommon(
        _ entry: TaskList.Entry,
        into draft: inout TaskDraft,
        with reader: inout Reader
    ) -> [DeferredValue] {
        begin(entry, &reader)
        let table = TaskTable.table(of: entry.kind)
        let deferred = reader.deferringRowValues {
            $0.apply(table, to: &draft, from: entry.value, ownedBy: entry.key)
        }
        draft.isOrderOfRun = reader.values.isOrderOfRun
        draft.hasCaptureInURL = reader.values.hasCaptureInURL
        return deferred
    }

    /// Reads the values that depend on the reader's row; false when there is a fault, which is
    /// reported.
    ///
    /// `uses` has the places of secrets in the settings from `readCommon`.
    func readRow(
        _ values: [DeferredValue],
        uses: [SecretUse],
        of entry: TaskList.Entry,
        into draft: inout TaskDraft,
        with reader: inout Reader
    ) -> Bool {
        read(entry, &draft, &reader) { table, draft, reader in
            reader.secretUses = uses
            for value in values {
                reader.showingShape(of: value.field, in: table.keys) {
                    table.reads[value.position](&draft, &$0, value.field)
                }
            }
        }
    }

    /// Reads a task's settings with a closure, and checks them; false when one of them or of the
    /// checks has found a fault.
    private func read(
        _ entry: TaskList.Entry,
        _ draft: inout TaskDraft,
        _ reader: inout Reader,
        settings: (SettingTable<TaskDraft>, inout TaskDraft, inout Reader) -> Void
    ) -> Bool {
        let place = TaskPlace(document: reader.document, entry: entry)
        begin(entry, &reader)
        let isFaultless = reader.isFaultless { reader in
            settings(TaskTable.table(of: entry.kind), &draft, &reader)
            checkSettings(of: &draft, at: place, &reader)
        }
        guard isFaultless, !reader.faults.log.isFull else { return false }
        return reader.isFaultless { check(draft, at: place, &$0) }
    }

    private func begin(_ entry: TaskList.Entry, _ reader: inout Reader) {
        reader.faults.owner = .task(entry.kind, entry.key)
        reader.values.filledIn.length = 0
        reader.values.isOrderOfRun = false
        reader.values.hasCaptureInURL = false
        if !reader.secretUses.isEmpty { reader.secretUses.removeAll() }
    }

    /// Checks settings that are read, and makes the content of the body.
    private func checkSettings(
        of draft: inout TaskDraft,
        at place: TaskPlace,
        _ reader: inout Reader
    ) {
        let entry = place.entry
        if entry.kind == .stream { draft.url = draft.stream.url }
        if let encoding = draft.encoding {
            BodyCheck.check(encoding, at: place, &reader.faults.log)
        }
        if draft.session == nil { draft.session = onlySession(at: place, &reader) }
        if draft.ifExists != nil || !draft.mirrors.isEmpty || draft.sizeToExceed != nil
            || draft.mixedReplace != nil || draft.archive != nil
        {
            let isNew = !reader.isReadingAgain
            DownloadCheck.check(
                draft,
                in: draft.session.map { shared.sessions[$0] },
                at: place,
                lacksArchives: isNew && !ArchiveReader.isAvailable,
                &reader.faults.log
            )
        }
        if draft.signature != nil { DetachedSignatureCheck.check(draft, at: place, &reader) }
        if draft.segments != nil { SegmentsCheck.check(draft, at: place, &reader.faults.log) }
        if draft.body != nil {
            draft.content = reader.with(\.isReadingBody, true) {
                BodyAssembly.content(of: draft, at: place, &$0)
            }
        }
        let hasRightSecrets = reader.isFaultless { reader in
            guard !reader.values.secrets.isEmpty, let session = draft.session else { return }
            // A stream sends no header field of its session.
            let inherited = entry.kind == .stream ? [] : shared.sessionSecrets[session]
            SecretCheck.check(&draft, inheriting: inherited, at: place, &reader)
        }
        // The report of a secret says more than a warning about a field that looks like one.
        if entry.kind != .stream, let url = draft.url, url.origin.scheme == .http,
            let session = draft.session, hasRightSecrets
        {
            let fields = draft.headers + shared.sessions[session].httpAdditionalHeaders
            Slips.warnOfPlainCredentials(to: url.origin, in: fields, of: entry.value, &reader)
        }
    }

    /// Checks the settings of a task against each other; each setting is already valid by itself.
    private func check(_ draft: TaskDraft, at place: TaskPlace, _ reader: inout Reader) {
        let sessions = shared.sessions
        if draft.when != nil { ConditionCheck.check(draft, at: place, &reader) }
        let isOrderOfRun = draft.isOrderOfRun || reader.values.isOrderOfRun
        if let session = draft.session, !shared.signers[session].isEmpty,
            place.entry.kind != .stream
        {
            let signers = shared.signers[session]
            SignatureCheck.check(
                draft,
                in: sessions[session],
                signers: signers,
                at: place,
                &reader.faults.log
            )
        }
        if let url = draft.url, !url.isOfHTTP {
            checkURL(url, of: draft, at: place, &reader.faults.log)
        }
        BodyCheck.checkDigests(draft, at: place, &reader.faults.log)
        if draft.body != nil {
            let isNew = !reader.isReadingAgain
            BodyCheck.check(
                draft,
                at: place,
                lacksGzip: isNew && !Gzip.isAvailable,
                &reader.faults.log
            )
        }
        if shared.hasBackground, let session = draft.session, !reader.isReadingAgain {
            BackgroundCheck.check(
                draft,
                in: sessions[session],
                using: reader.values.captureReferences.first,
                isOrderOfRun: isOrderOfRun,
                at: place,
                &reader.faults.log
            )
        }
        if place.entry.kind == .webSocket {
            let session = draft.session.map { sessions[$0] }
            WebSocketCheck.check(draft, in: session, at: place, &reader.faults.log)
        }
        if place.entry.kind == .stream {
            let session = draft.session.map { sessions[$0] }
            StreamCheck.check(draft, in: session, at: place, &reader.faults.log)
        }
        if draft.idempotencyKey != .none {
            IdempotencyKeyCheck.check(
                draft,
                in: draft.session.map { sessions[$0] },
                isOrderOfRun: isOrderOfRun,
                at: place,
                &reader.faults.log
            )
        }
        if let session = draft.session, draft.allowedAccess != draft.deniedAccess {
            AccessCheck.check(draft, in: sessions[session], at: place, &reader.faults.log)
        }
    }

    /// Checks the settings of a task whose URL has another scheme than http and https.
    private func checkURL(
        _ url: TransferURL,
        of draft: TaskDraft,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        let session = draft.session.flatMap {
            shared.faulty.contains($0) ? nil : shared.sessions[$0]
        }
        let check =
            url.isLocal
            ? LocalURLCheck.check
            : url.isCustom ? CustomURLCheck.check : FileServerCheck.check
        check(draft, url, session, place, &log)
    }

    /// The session of a task that names none: the only one.
    private func onlySession(at place: TaskPlace, _ reader: inout Reader) -> Int? {
        if shared.sessions.count == 1 { return 0 }
        guard place.setting("session") == nil else { return nil }
        let names = reader.sessions.keys.sorted().map { "`\($0)`" }.joined(separator: ", ")
        reader.report(
            .sessionRequired,
            "the key `session`\(place.context) is required, because the job has several sessions",
            at: place.entry.key,
            help: "name one of \(names)"
        )
        return nil
    }
}
