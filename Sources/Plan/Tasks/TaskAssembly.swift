internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// Makes a task from settings that a `TaskReader` has validated.
struct TaskAssembly: Sendable {
    let shared: SharedSettings

    /// The task of a draft; nil after a fault, which `reader` collects.
    func task(
        _ number: Int,
        _ entry: TaskList.Entry,
        id: String,
        _ draft: TaskDraft,
        with reader: inout Reader
    ) -> TaskSpec? {
        guard let url = draft.url, let session = draft.session else { return nil }
        if draft.encoding?.value.content == .gzip, case .bytes(let bytes)? = draft.content {
            guard let compressed = Gzip.compress(bytes) else {
                let place = TaskPlace(document: reader.document, entry: entry)
                BodyCheck.reportMissingGzip(at: place, &reader.faults.log)
                return nil
            }
            var draft = draft
            draft.content = .compressed(compressed, originalCount: bytes.count)
            return task(number, entry, id: id, draft, with: &reader)
        }
        if entry.kind == .stream {
            return stream(number, entry, id: id, draft, in: reader.document)
        }
        let request = request(url, draft, entry, shared.sessions[session].httpAdditionalHeaders)
        return TaskSpec(
            id: id,
            index: number,
            kind: entry.kind,
            session: session,
            request: request,
            body: draft.content,
            wantsKey: draft.idempotencyKey == .auto,
            uploadResume: uploadResume(of: draft, session),
            destination: destination(
                of: draft,
                entry,
                shared.sessions[session].kind,
                isURLOfPeer: draft.hasCaptureInURL || reader.values.hasCaptureInURL
            ),
            mirrors: draft.mirrors,
            decodesBody: !url.isCustom
                && draft.decodesBody ?? Self.decodes(request, of: entry.kind),
            expectation: entry.kind == .webSocket
                ? draft.expectationOfSteps : draft.expectation,
            mixedReplace: draft.mixedReplace,
            retry: draft.retry,
            redirects: draft.redirects,
            timeoutInterval: timeoutInterval(of: draft, session),
            earliestBeginDate: draft.earliestBeginDate,
            access: shared.sessions[session].access.subtracting(draft.deniedAccess),
            cachePolicy: url.isCustom
                ? nil : draft.cachePolicy ?? shared.sessions[session].requestCachePolicy,
            description: draft.description,
            webSocket: entry.kind == .webSocket ? draft.webSocket.spec : nil,
            source: reader.document.location(of: entry.key)
        )
    }

    /// The longest time during which a task may transfer no byte; nil for no limit.
    private func timeoutInterval(of draft: TaskDraft, _ session: Int) -> TimeLimit? {
        draft.timeoutInterval
            ?? shared.sessions[session].timeoutIntervalForRequest.map {
                TimeLimit(.timeoutIntervalForRequest, $0)
            }
    }

    /// The file of a task; nil without one.
    private func destination(
        of draft: TaskDraft,
        _ entry: TaskList.Entry,
        _ session: SessionConfiguration.Kind,
        isURLOfPeer: Bool
    ) -> TaskSpec.Destination? {
        draft.destination.map {
            TaskSpec.Destination(
                path: $0.path,
                displayPath: $0.text,
                ifExists: draft.ifExists ?? .replace,
                checksum: draft.checksum,
                signature: DetachedSignature(draft.signature),
                mode: draft.mode,
                modificationDate: draft.modificationDate,
                resume: resume(of: draft, entry, session),
                segments: draft.segments,
                sizeToExceed: draft.sizeToExceed,
                archiveFolder: ArchiveFolder(draft.archive),
                isNamedByPeer: $0.isOfPeer,
                // A peer that chooses the name must not choose which file is replaced. Other tasks
                // than downloads have no key to permit it.
                replacesForeign: entry.kind != .download || draft.ifExists != nil,
                isURLOfPeer: isURLOfPeer
            )
        }
    }

    /// Whether a body is decoded by default, as URLSession does.
    ///
    /// A download is stored as the server sends it. So is a response to a request with its own
    /// `Accept-Encoding` or `Range`.
    private static func decodes(_ request: RequestSpec, of kind: TaskSpec.Kind) -> Bool {
        kind != .download && !request.headers.contains("accept-encoding")
            && !request.headers.contains("range")
    }

    /// The part of a cut download that is kept.
    ///
    /// An ephemeral session leaves no partial file for the next run unless the job has `resume`.
    private func resume(
        of draft: TaskDraft,
        _ entry: TaskList.Entry,
        _ session: SessionConfiguration.Kind
    ) -> TaskSpec.Resume {
        guard entry.kind == .download, draft.resumes != false, draft.url?.isLocal != true,
            draft.mixedReplace == nil
        else { return .nothing }
        return draft.resumes == nil && session == .ephemeral ? .withinRun : .acrossRuns
    }

    /// The state of a cut upload that is kept.
    ///
    /// A signed upload keeps none, because its signature covers the whole body.
    private func uploadResume(of draft: TaskDraft, _ session: Int) -> TaskSpec.Resume {
        guard draft.resumable != ResumableUpload.none, shared.signers[session].isEmpty,
            draft.url?.isCustom != true, draft.url?.isOfFileServer != true
        else { return .nothing }
        switch draft.content {
        case .bytes(let bytes), .compressed(let bytes, _):
            guard bytes.count >= TaskSpec.leastResumableCount else { return .nothing }
        case .file, .multipart: break
        case .command, .pipe, nil: return .nothing
        }
        let isPassing = draft.resumable == nil && shared.sessions[session].kind == .ephemeral
        return isPassing ? .withinRun : .acrossRuns
    }

    /// The request with the task's own fields, those of its body, then those of the session.
    private func request(
        _ url: TransferURL,
        _ draft: TaskDraft,
        _ entry: TaskList.Entry,
        _ inherited: [HeaderField]
    ) -> RequestSpec {
        if url.isLocal { return RequestSpec(method: "GET", url: url) }
        // An upload to a file server has the effect of a PUT: sent twice, it leaves one file.
        if url.isOfFileServer {
            return RequestSpec(method: entry.kind == .upload ? "PUT" : "GET", url: url)
        }
        var headers = HeaderFieldsType.merge(draft.headers, over: inherited)
        if case .value(let key) = draft.idempotencyKey {
            headers.append(HeaderField(name: IdempotencyKeyField.name, value: key))
        }
        BodyFields.add(of: draft, to: &headers)
        let method = draft.method ?? Self.usualMethod(entry.kind)
        return RequestSpec(method: method, url: url, headers: headers)
    }

    /// The method of a task that names none.
    static func usualMethod(_ kind: TaskSpec.Kind) -> String {
        switch kind {
        case .upload: "POST"
        case .data, .download, .webSocket: "GET"
        case .stream: StreamSpec.method
        }
    }
}

extension TaskAssembly {
    /// The task of a stream's draft.
    func stream(
        _ number: Int,
        _ entry: TaskList.Entry,
        id: String,
        _ draft: TaskDraft,
        in document: Document
    ) -> TaskSpec? {
        guard let session = draft.session, let url = draft.stream.connectionURL else { return nil }
        return TaskSpec(
            id: id,
            index: number,
            kind: .stream,
            session: session,
            request: RequestSpec(method: StreamSpec.method, url: url),
            destination: draft.destination.map {
                TaskSpec.Destination(
                    path: $0.path,
                    displayPath: $0.text,
                    isNamedByPeer: $0.isOfPeer
                )
            },
            expectation: draft.expectationOfSteps,
            retry: draft.retry,
            timeoutInterval: timeoutInterval(of: draft, session),
            earliestBeginDate: draft.earliestBeginDate,
            access: shared.sessions[session].access.subtracting(draft.deniedAccess),
            description: draft.description,
            stream: StreamSpec(isSecure: draft.stream.isSecure, steps: draft.stream.steps),
            source: document.location(of: entry.key)
        )
    }
}
