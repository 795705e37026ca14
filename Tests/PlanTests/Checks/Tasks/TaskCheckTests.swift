import Diagnostics
import JobFile
import Testing
import TransferModel

@testable import Plan

/// Checks of one task's combined settings, without a job file.
@Suite struct TaskCheckTests {
    @Test func `a task allows no interface that its session forbids`() throws {
        let place = try TestPlace.of(.data, "allowsCellularAccess: true")
        let draft = TestPlace.draft { $0.allowedAccess = .cellular }
        let session = TestPlace.session { $0.access.remove(.cellular) }
        #expect(
            AccessCheck.faults(of: draft, in: session, at: place).places
                == ["6 job.conflicting-keys"]
        )
        #expect(AccessCheck.faults(of: draft, in: TestPlace.session(), at: place).isEmpty)
    }

    @Test func `multipath is not allowed beside a flag of a task`() throws {
        let place = try TestPlace.of(.data, "allowsCellularAccess: false")
        let draft = TestPlace.draft { $0.deniedAccess = .cellular }
        let session = TestPlace.session { $0.multipathServiceType = .handover }
        let faults = AccessCheck.faults(of: draft, in: session, at: place)
        #expect(faults.first?.message.contains("`multipathServiceType` of session `s`") == true)
    }

    @Test func `a background session takes only what another process can continue`() throws {
        let place = try TestPlace.of(.data, "redirects: { follow: false }")
        let draft = TestPlace.draft { $0.redirects.follow = .never }
        func findings(_ session: SessionConfiguration) -> [String] {
            BackgroundCheck.findings(
                of: draft,
                in: session,
                using: CaptureReference(
                    source: 0,
                    range: SourceRange(SourcePosition(line: 1, column: 9))
                ),
                isOrderOfRun: true,
                at: place
            ).places
        }
        #expect(
            findings(TestPlace.session(.background)) == [
                "1 job.not-in-background", "9 job.not-in-background", "6 job.not-in-background",
            ]
        )
        #expect(findings(TestPlace.session()).isEmpty)
    }

    @Test func `an order that differs in every run causes a warning`() throws {
        let place = try TestPlace.of(.upload, "idempotencyKey: auto")
        func warnings(_ key: KeyDraft) -> [String] {
            let draft = TestPlace.draft { $0.idempotencyKey = key }
            let session = TestPlace.session(.background)
            let background = BackgroundCheck.findings(
                of: draft,
                in: session,
                using: nil,
                isOrderOfRun: true,
                at: place
            )
            let keys = IdempotencyKeyCheck.findings(
                of: draft,
                in: session,
                isOrderOfRun: true,
                at: place
            )
            return (background + keys).map { "\($0.severity) \($0.code)" }
        }
        for key in [KeyDraft.auto, .none, .value("a")] {
            #expect(warnings(key) == ["warning job.order-of-run"])
        }
    }

    @Test func `an idempotency key in two places is an error`() throws {
        let place = try TestPlace.of(.upload, "idempotencyKey: a")
        let field = HeaderField(name: "idempotency-key", value: "b")
        func messages(_ own: [HeaderField], _ inherited: [HeaderField]) -> [String] {
            let draft = TestPlace.draft {
                $0.idempotencyKey = .value("a")
                $0.headers = own
            }
            let session = TestPlace.session { $0.httpAdditionalHeaders = inherited }
            return IdempotencyKeyCheck.findings(
                of: draft,
                in: session,
                isOrderOfRun: false,
                at: place
            ).map(\.message)
        }
        #expect(messages([], []).isEmpty)
        #expect(messages([field], [field]).map { $0.contains("among its `headers`") } == [true])
        #expect(messages([], [field]).map { $0.contains("of session `s`") } == [true])
    }

    @Test func `a mirror answers no POST, and a kept file no capture`() throws {
        let place = try TestPlace.of(.download, "mirrors: [], ifExists: revalidate")
        let mirror = try URLText.parse("http://m.example/")
        let draft = TestPlace.draft {
            $0.mirrors = [mirror]
            $0.method = "POST"
            $0.ifExists = .revalidate
        }
        let session = TestPlace.session(.background)
        let faults = DownloadCheck.faults(of: draft, in: session, at: place)
        #expect(faults.places == ["6 job.conflicting-keys", "29 job.conflicting-keys"])
        #expect(faults.last?.help == "give the session a `urlCache`, or choose `replace`")
    }

    @Test func `the body makes some header fields itself`() throws {
        let place = try TestPlace.of(.upload, "headers: { content-TYPE: text/plain }")
        let draft = TestPlace.draft {
            $0.body = .multipart([])
            $0.headers = [HeaderField(name: "content-TYPE", value: "text/plain")]
        }
        let faults = BodyCheck.findings(of: draft, at: place, lacksGzip: true)
        #expect(faults.places == ["17 job.reserved-header"])
        #expect(BodyCheck.findings(of: TaskDraft(), at: place, lacksGzip: true).isEmpty)
    }
}
