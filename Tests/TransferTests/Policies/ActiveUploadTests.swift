import Testing
import TransferModel

@testable import Transfer

/// What an attempt does about its upload, without a server, a thread or a file.
@Suite struct ActiveUploadTests {
    private static let total = Int64(TaskSpec.leastResumableCount)
    private let task: TransferURL
    private let own: TransferURL

    init() throws {
        task = try TransferURL("http://a.test/files")
        own = try TransferURL("http://a.test/u/1")
    }

    private func start(
        method: String = "POST",
        total: Int64? = total,
        isRepeatable: Bool = false,
        change: (inout AttemptRequest.Upload) -> Void = { _ in }
    ) -> UploadStart {
        var wanted = AttemptRequest.Upload(id: "t", isKept: false)
        change(&wanted)
        let request = RequestSpec(method: method, url: task, headers: [])
        return UploadStart(
            wanted: wanted,
            request: request,
            boundary: nil,
            total: total,
            source: UploadDigests.Source(
                request: request,
                credentials: [],
                body: .bytes([1, 2, 3]),
                files: nil
            ),
            isRepeatable: isRepeatable,
            isPlain: true,
            now: Timestamp(microseconds: 0),
            keeper: PartialKeeper(
                mayWrite: { _ in true },
                uploads: nil,
                publisher: Publisher(durability: .none) { _ in }
            )
        )
    }

    private func partial(of start: UploadStart, at url: TransferURL? = nil) throws -> PartialUpload
    {
        let digests = try #require(start.source.digests("s"))
        return PartialUpload(
            url: url ?? own,
            version: .v6,
            digest: digests.request,
            salt: "s",
            order: digests.order,
            total: Self.total,
            confirmed: 7,
            creationDate: Timestamp(microseconds: 0)
        )
    }

    private func head(_ status: Int, _ fields: [(String, String)] = []) -> ResponseHead {
        let fields = fields.map { HeaderField(name: $0.0, value: $0.1) }
        return ResponseHead(statusCode: status, fields: HeaderFields(fields))
    }

    private func judge(
        _ upload: ActiveUpload,
        _ head: ResponseHead,
        mayFollow: Bool = true
    ) -> ActiveUpload.Judgement {
        upload.judge(head, from: task, isSent: true, mayFollow: mayFollow)
    }

    // MARK: - The start

    @Test func `an upload is offered to an origin that is asked, with a long body`() throws {
        #expect(try start().upload(.v6)?.machine.leg == .creation)
        #expect(try start().upload(nil) == nil)
        #expect(try start(total: Self.total - 1).upload(.v6) == nil)
        #expect(try start(total: nil).upload(.v6) == nil)
    }

    @Test func `the same order resumes the upload by asking for its offset`() throws {
        let left = try partial(of: start())
        let upload = try #require(try start { $0.partial = left }.upload(.v6))
        #expect(upload.machine.leg == .offset)
        #expect(upload.reason == .uploadOffset)
        #expect(upload.offset == 7)
        let request = upload.request(at: upload.url(after: task))
        #expect(request.method == "HEAD")
        #expect(request.url == own)
        #expect(upload.reported(request.url) == "http://a.test/<redacted>")
    }

    @Test func `another order replaces the upload only where the task may`() throws {
        let left = try partial(of: start(method: "PUT"))
        let failure = #expect(throws: TransferFailure.self) {
            try start {
                $0.partial = left
                $0.mayReplace = false
            }.upload(.v6)
        }
        #expect(failure?.isOutcomeUnknown == true)
        let upload = try start(isRepeatable: true) {
            $0.partial = left
            $0.mayRepeat = true
        }.upload(.v6)
        #expect(upload?.beginLeg() == true)
        #expect(upload?.isGivingUp == true)
        #expect(upload?.reason == .uploadCancel)
    }

    @Test func `an upload at another origin is begun anew only where it may be repeated`() throws {
        let left = try partial(of: start(), at: try TransferURL("http://b.test/u/1"))
        #expect(try start { $0.partial = left }.upload(.v6) == nil)
        let upload = try start(isRepeatable: true) { $0.partial = left }.upload(.v6)
        #expect(upload?.machine.leg == .creation)
    }

    @Test func `an unreadable record stops an order that may not be repeated`() throws {
        let failure = #expect(throws: TransferFailure.self) {
            try start { $0.obstacle = .elsewhere }.upload(.v6)
        }
        #expect(failure?.isKnownUnprocessed == true)
        #expect(try start(isRepeatable: true) { $0.obstacle = .elsewhere }.upload(.v6) != nil)
    }

    // MARK: - Responses

    @Test func `a creation is judged as any other response`() throws {
        let upload = try #require(try start().upload(.v6))
        #expect(judge(upload, head(201)) == .usual(answersOrder: false))
        guard case .finish = upload.next(after: "POST") else {
            Issue.record("the attempt does not finish")
            return
        }
    }

    @Test func `a redirect is followed where the offset is asked for, if the task follows any`()
        throws
    {
        let left = try partial(of: start())
        let moved = head(307, [("Location", "/u/2")])
        for mayFollow in [true, false] {
            let upload = try #require(try start { $0.partial = left }.upload(.v6))
            let judgement = judge(upload, moved, mayFollow: mayFollow)
            #expect(judgement == (mayFollow ? .redirect : .passOver))
        }
    }

    @Test func `sent bytes count up to the end of the part, and hidden ones may have left`() throws
    {
        let upload = try #require(try start().upload(.v6))
        upload.didSend(10, isRequestSent: false, isBuffered: false)
        #expect(upload.sentEnd == 10)
        #expect(upload.machine.farthest == 10)
        upload.didSend(10, isRequestSent: false, isBuffered: true)
        #expect(upload.machine.farthest == min(Self.total, 10 + 2 << 20))

        upload.didSend(Self.total + 9, isRequestSent: true, isBuffered: false)
        #expect(upload.sentEnd == Self.total)
        #expect(upload.machine.mayBeComplete)
    }

    @Test func `a server's silence moves on to the next version`() throws {
        var support = UploadSupport()
        let upload = try #require(try start().upload(support.version(for: task.origin)))
        let first = support.version(for: task.origin)
        _ = upload.outcome(after: nil, head(200), from: task.origin, &support)
        #expect(support.version(for: task.origin) != first)
    }

    @Test func `a cut upload with a URL is left for the next attempt`() throws {
        var support = UploadSupport()
        let upload = try #require(try start().upload(.v6))
        let informed = head(
            104,
            [("Upload-Draft-Interop-Version", "6"), ("Location", "/u/1")]
        )
        upload.didInform(informed, from: task, &support)
        #expect(support.version(for: task.origin) == .v6)
        let cut = ExchangeStage.truncated("cut")
        let outcome = upload.outcome(after: cut, nil, from: task.origin, &support)
        #expect(outcome.partial?.url == own)
        let end = upload.outcome(after: nil, head(201), from: task.origin, &support)
        #expect(end.partial == nil)
    }

    @Test func `a report names no path of an upload`() throws {
        let left = try partial(of: start())
        let upload = try #require(try start { $0.partial = left }.upload(.v6))
        let reported = upload.reported(head(201, [("Location", "/u/1")]), from: task)
        #expect(reported.fields["location"] == "http://a.test/<redacted>")
        let other = upload.reported(head(201, [("Location", "/done")]), from: task)
        #expect(other.fields["location"] == "/done")
    }
}
