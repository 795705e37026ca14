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
        func places(_ session: SessionConfiguration) -> [String] {
            TestPlace.findings { AccessCheck.check(draft, in: session, at: place, &$0) }.places
        }
        #expect(
            places(TestPlace.session { $0.access.remove(.cellular) }) == ["6 job.conflicting-keys"]
        )
        #expect(places(TestPlace.session()).isEmpty)
    }

    @Test func `a task forbids no interface where the kernel chooses the paths`() throws {
        let place = try TestPlace.of(.data, "allowsCellularAccess: false")
        let draft = TestPlace.draft { $0.deniedAccess = .cellular }
        let session = TestPlace.session { $0.multipathServiceType = .handover }
        let faults = TestPlace.findings {
            AccessCheck.check(draft, in: session, at: place, &$0)
        }
        #expect(faults.first?.message.contains("`multipathServiceType` of session `s`") == true)
    }

    @Test func `a background session takes only what another process can continue`() throws {
        let place = try TestPlace.of(.data, "redirects: { follow: false }")
        let draft = TestPlace.draft { $0.redirects.follow = .never }
        func places(_ session: SessionConfiguration) -> [String] {
            TestPlace.findings {
                BackgroundCheck.check(
                    draft,
                    in: session,
                    using: CaptureReference(
                        source: 0,
                        range: SourceRange(SourcePosition(line: 1, column: 9))
                    ),
                    isOrderOfRun: true,
                    at: place,
                    &$0
                )
            }.places
        }
        #expect(
            places(TestPlace.session(.background)) == [
                "1 job.not-in-background", "9 job.not-in-background", "6 job.not-in-background",
            ]
        )
        #expect(places(TestPlace.session()).isEmpty)
    }

    @Test(arguments: [KeyDraft.auto, .none, .value("a")])
    func `an order that differs in every run is warned of once`(key: KeyDraft) throws {
        let place = try TestPlace.of(.upload, "idempotencyKey: '${var.order}'")
        let draft = TestPlace.draft { $0.idempotencyKey = key }
        let session = TestPlace.session(.background)
        let findings = TestPlace.findings {
            BackgroundCheck.check(
                draft,
                in: session,
                using: nil,
                isOrderOfRun: true,
                at: place,
                &$0
            )
            IdempotencyKeyCheck.check(draft, in: session, isOrderOfRun: true, at: place, &$0)
        }
        #expect(findings.map { "\($0.severity) \($0.code)" } == ["warning job.order-of-run"])
    }

    @Test func `an idempotency key stands in one place`() throws {
        let place = try TestPlace.of(.upload, "idempotencyKey: '${var.order}'")
        let field = HeaderField(name: "idempotency-key", value: "b")
        func messages(_ own: [HeaderField], _ inherited: [HeaderField]) -> [String] {
            let draft = TestPlace.draft {
                $0.idempotencyKey = .value("a")
                $0.headers = own
            }
            let session = TestPlace.session { $0.httpAdditionalHeaders = inherited }
            return TestPlace.findings {
                IdempotencyKeyCheck.check(draft, in: session, isOrderOfRun: false, at: place, &$0)
            }.map(\.message)
        }
        #expect(messages([], []).isEmpty)
        #expect(messages([field], [field]).map { $0.contains("among its `headers`") } == [true])
        #expect(messages([], [field]).map { $0.contains("of session `s`") } == [true])
    }

    @Test(arguments: [
        ("idempotencyKey: a", KeyDraft.value("a"), true), ("idempotencyKey: auto", .auto, false),
        ("idempotencyKey: '${var.a}'", .value("a"), false),
        ("idempotencyKey: a, forEach: { items: [1] }", .value("a"), false),
    ])
    func `a key that is the same in every run is warned of`(
        settings: String,
        key: KeyDraft,
        isWarned: Bool
    ) throws {
        let place = try TestPlace.of(.upload, settings)
        let draft = TestPlace.draft { $0.idempotencyKey = key }
        let findings = TestPlace.findings {
            IdempotencyKeyCheck.check(draft, in: nil, isOrderOfRun: false, at: place, &$0)
        }
        #expect(findings.map(\.code) == (isWarned ? ["job.constant-key"] : []))
    }

    @Test func `an archive needs its library`() throws {
        let place = try TestPlace.of(.download, "extract: out")
        let draft = TestPlace.draft { $0.archive = ExtractTable.Draft() }
        let places = [true, false].map { isMissing in
            TestPlace.findings {
                DownloadCheck.check(draft, in: nil, at: place, lacksArchives: isMissing, &$0)
            }.places
        }
        #expect(places == [["6 job.missing-library"], []])
    }

    @Test func `a mirror answers no POST, and a session without a cache revalidates nothing`()
        throws
    {
        let place = try TestPlace.of(.download, "mirrors: [], ifExists: revalidate")
        let mirror = try URLText.parse("http://m.example/")
        let draft = TestPlace.draft {
            $0.mirrors = [mirror]
            $0.method = "POST"
            $0.ifExists = .revalidate
        }
        let faults = TestPlace.findings {
            DownloadCheck.check(
                draft,
                in: TestPlace.session(.background),
                at: place,
                lacksArchives: false,
                &$0
            )
        }
        #expect(faults.places == ["6 job.conflicting-keys", "29 job.conflicting-keys"])
        #expect(faults.last?.help == "give the session a `urlCache`, or choose `replace`")
    }

    @Test func `the body makes some header fields itself`() throws {
        let place = try TestPlace.of(.upload, "headers: { content-TYPE: text/plain }")
        func places(_ draft: TaskDraft) -> [String] {
            TestPlace.findings { BodyCheck.check(draft, at: place, lacksGzip: true, &$0) }.places
        }
        let draft = TestPlace.draft {
            $0.body = .multipart([])
            $0.headers = [HeaderField(name: "content-TYPE", value: "text/plain")]
        }
        #expect(places(draft) == ["17 job.reserved-header"])
        #expect(places(TaskDraft()).isEmpty)
    }
}
