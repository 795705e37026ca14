internal import JobFile
internal import TransferModel

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
            timeoutInterval: draft.timeoutInterval
                ?? shared.sessions[session].timeoutIntervalForRequest,
            earliestBeginDate: draft.earliestBeginDate,
            access: shared.sessions[session].access.subtracting(draft.deniedAccess),
            description: draft.description,
            stream: StreamSpec(isSecure: draft.stream.isSecure, steps: draft.stream.steps),
            source: Self.source(entry, in: document)
        )
    }
}
