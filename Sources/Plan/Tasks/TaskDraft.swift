internal import JobFile
internal import TransferModel

/// A task while its settings are read: the job file's settings so far, over the `defaults`.
struct TaskDraft: Sendable {
    /// The one body of an upload.
    enum Body: Sendable {
        /// Encoded when all of `encoding` is known.
        case json(Field)
        case file(String)
        case text(String)
        /// A template file; its expressions are filled in when the whole task is read.
        case textFile(Field)
        /// Encoded already.
        case form([UInt8])
        /// The `json` of its parts is encoded when all of `encoding` is known.
        case multipart([PartDraft])
        indirect case stream(StreamDraft)
    }

    /// The `encoding` mapping and its value.
    struct Encoding: Sendable {
        var node: NodeID
        var value: BodyEncoding
    }

    /// Position in the plan's list; nil when the task names none.
    var session: Int?
    var url: TransferURL?
    var method: String?
    var headers: [HeaderField] = []
    /// Nil when the session's request timeout holds; nil inside means unlimited.
    var timeoutInterval: TimeLimit??
    var priority = 0.5
    /// Other tasks, without duplicates; empty when a task is read again.
    var needs: [Need] = []
    /// Nil when it starts as soon as its needs have succeeded.
    var when: When?
    var isRequired = true
    var expectation = Expectation()
    var retry = RetryPolicy()
    var redirects = RedirectRule()
    var description: String?
    /// The secrets in its request, in header fields of the session too.
    var secrets = SecretSet()

    var body: Body?
    var encoding: Encoding?
    /// The body that `body` becomes once the whole task is read.
    var content: BodySource?
    var earliestBeginDate: BeginDate?
    /// The text in the header field: a quoted string.
    var idempotencyKey = KeyDraft.none
    /// Nil when the session decides.
    var resumable: ResumableUpload?
    /// Whether its URL, its body or its key differs in every run.
    var isOrderOfRun = false
    /// Whether its URL has a captured value and is the same for all rows of its `forEach`.
    var hasCaptureInURL = false

    /// The conversation of a WebSocket task.
    var webSocket = WebSocketDraft()
    /// The conversation of a stream task.
    var stream = StreamTaskDraft()
    /// The expectation of a task whose steps have expectations of their own: the captures of all
    /// steps, which other tasks use.
    var expectationOfSteps: Expectation {
        var expectation = Expectation()
        expectation.captures = self.expectation.captures
        return expectation
    }

    /// `to` of a download, `responseTo` of another task, or `to` of `becomeDownload`.
    var destination: PathValue?
    /// The size that a body must exceed to become a download; nil without `becomeDownload`.
    var sizeToExceed: Int64?
    /// Nil when a response with parts is stored as sent.
    var mixedReplace: MixedReplaceRule?
    /// Nil when the job file does not say it.
    var ifExists: TaskSpec.IfExists?
    var checksum: TaskSpec.ExpectedChecksum?
    /// `signature` of a download.
    var signature: DetachedSignatureTable.Draft?
    var mode: UInt16?
    var modificationDate = TaskSpec.ModificationDate.now
    /// `extract` of a download.
    var archive: ExtractTable.Draft?
    var mirrors: [TransferURL] = []
    var decodesBody: Bool?
    /// Nil when the session decides.
    var cachePolicy: RequestCachePolicy?
    /// Nil when the session decides.
    var resumes: Bool?
    /// Nil for one connection.
    var segments: TaskSpec.Segments?
    /// The access that the task allows, which its session must not forbid.
    var allowedAccess: NetworkAccess = []
    /// The access that the task forbids by itself.
    var deniedAccess: NetworkAccess = []
}

extension TaskDraft {
    /// The needs of the task, each with the outcome after which the task starts: success unless
    /// `when` names another outcome.
    var requirements: [Requirement] {
        guard let named = when?.requirements, !named.isEmpty else {
            return needs.map { Requirement(need: $0) }
        }
        let names = Set(named.map(\.need))
        return needs.filter { !names.contains($0) }.map { Requirement(need: $0) } + named
    }
}

/// A part of a multipart body while its settings are read.
struct PartDraft: Sendable {
    var name = ""
    var content: TaskDraft.Body?
    var fileName: String?
    var contentType: String?
    var headers: [HeaderField] = []
}

/// The upload's setting for resuming after an interruption.
enum ResumableUpload: String, Sendable, Hashable, CaseIterable {
    case auto
    case none
}

/// The upload's setting for its idempotency key.
enum KeyDraft: Sendable, Hashable {
    case none
    /// Made by the runner, and kept until a response to the order arrives.
    case auto
    /// The text in the field.
    case value(String)
}
