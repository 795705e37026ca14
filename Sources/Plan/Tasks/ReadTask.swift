internal import JobFile
internal import TransferModel

/// The facts about a task that the checks of the whole job need.
struct ReadTask: Sendable {
    /// The facts about a task without a fault.
    struct Traits: Sendable {
        // In this order, because all tasks of a job are in memory at the same time.
        let priority: Double
        let secrets: SecretSet
        let paths: TaskPaths
        /// A hash of the idempotency key that the job gives it, and of the origin that it is sent
        /// to.
        let givenKey: UInt64?
        let isRequired: Bool
        /// Whether a server, or a captured value, names a file or folder that it writes.
        let hasPeerName: Bool
        /// Whether it replaces a folder that an earlier run of it extracted.
        let replacesOwnFolder: Bool
        /// Whether the runner makes its idempotency key.
        let makesKey: Bool
        /// Whether it forbids interfaces by itself.
        let tightensAccess: Bool
        /// Whether its URL is that of a file server.
        let isAtFileServer: Bool
        /// All tries.
        let attempts: Int
        /// Position in the plan's list of sessions.
        let session: Int?
        /// The most connections at once that its `segments` and `mirrors` ask for.
        let connections: Int
        /// The number of URLs with its own and those of `mirrors`.
        let sources: Int

        /// The facts of a draft; no initializer, which would copy the draft.
        static func of(_ draft: TaskDraft) -> Traits {
            Traits(
                priority: draft.priority,
                secrets: draft.secrets,
                paths: draft.paths,
                givenKey: RepeatedKeyCheck.hash(of: draft),
                isRequired: draft.isRequired,
                hasPeerName: draft.destination?.isFolder == true || draft.writesToCapturedPath,
                replacesOwnFolder: draft.archive?.replacement == .own,
                makesKey: draft.idempotencyKey == .auto,
                tightensAccess: !draft.deniedAccess.isEmpty,
                isAtFileServer: draft.url?.isOfFileServer == true,
                attempts: draft.retry.attempts,
                session: draft.session,
                connections: draft.segments?.mostConnections ?? 1,
                sources: 1 + draft.mirrors.count
            )
        }
    }

    let needs: [Requirement]
    let captureReferences: [CaptureReference]
    /// Nil when the task has a fault.
    let traits: Traits?
    /// The task itself, if it was to be kept.
    let value: TaskSpec?
}

extension TaskReader {
    /// Reads the task of an entry without `forEach`.
    ///
    /// - Parameters:
    ///   - entry: The entry's position.
    ///   - mostKept: How many of the first tasks are wanted themselves, except tasks that have a
    ///     body that may be large, or are filled in later.
    ///   - reader: The reader that finds faults.
    /// - Returns: The facts about the task; after a fault, only its references.
    func read(_ entry: Int, mostKept: Int, with reader: inout Reader) -> ReadTask {
        let position = entry
        let entry = reader.values.tasks.entries[position]
        var draft = shared.defaults
        let isRight = !reader.faults.log.isFull && read(entry, into: &draft, with: &reader)
        let references = reader.takeCaptureReferences()
        let needs = draft.requirements
        guard isRight else {
            return ReadTask(needs: needs, captureReferences: references, traits: nil, value: nil)
        }
        let traits = ReadTask.Traits.of(draft)
        var value: TaskSpec?
        let number = reader.values.tasks.tasks(of: position).lowerBound
        if number < mostKept, references.isEmpty, Self.isSmall(draft.content),
            draft.webSocket.steps.isEmpty, draft.stream.steps.isEmpty
        {
            let id = reader.document.text(of: entry.key)
            value = TaskAssembly(shared: shared)
                .task(number, entry, id: id, draft, with: &reader)
        }
        return ReadTask(needs: needs, captureReferences: references, traits: traits, value: value)
    }

    /// Whether a task with that body may be kept: it takes little more memory than one without.
    private static func isSmall(_ content: BodySource?) -> Bool {
        switch content {
        case nil: true
        case .bytes(let bytes): bytes.count <= 512
        default: false
        }
    }
}
