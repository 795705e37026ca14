import Testing
import TransferModel

@testable import Report

@Suite struct ProgressLinesTests {
    private let lines = ProgressLines(usesColor: false)

    @Test func `a success is one line`() {
        #expect(lines.finished(Samples.full) == "succeeded  artifact  4.0 KiB in 1.2 s\n")
    }

    @Test func `a failure says why, where and what to do`() {
        var record = Samples.refused
        record.attempts.append(record.attempts[0])
        #expect(
            lines.finished(record) == """
                failed     refused  GET https://‹redacted›@example.com/a?b#c: connect: \
                no connection to http://‹redacted›@127.0.0.1:9/; attempt 2, 1.2 s \
                (jobs/nightly.yaml:14:3)
                           help: is the server running?

                """
        )
    }

    @Test func `a refusal is what the server answered, at the key that decides`() {
        var record = Samples.refused
        var failure = TransferFailure(
            kind: .httpStatus,
            phase: .receive,
            detail: "the server answered 404 Not Found; no time is left for another attempt"
        )
        failure.httpStatus = 404
        record.error = failure
        record.cause = SourceLocation(file: "jobs/nightly.yaml", line: 15, column: 5)
        record.currentRequest.url = "https://example.com/" + String(repeating: "x", count: 300)
        let line = lines.finished(record)
        #expect(line.hasPrefix("failed     refused  GET https://example.com/xxx"))
        #expect(
            line.hasSuffix(
                "xxx… answered 404 Not Found; no time is left for another attempt; "
                    + "attempt 1, 1.2 s (jobs/nightly.yaml:15:5)\n"
            )
        )
    }

    @Test func `a task that never started has no size`() {
        let record = Samples.record("later", 3, .skipped)
        #expect(lines.finished(record) == "skipped    later\n")
    }

    @Test func `a task that the run kept from starting has one reason`() {
        var record = Samples.record("later", 3, .skipped)
        record.error = TransferFailure(
            kind: .cancelled,
            phase: .prepare,
            detail: "the task needs `first`, which did not succeed"
        )
        #expect(
            lines.finished(record)
                == "skipped    later: the task needs `first`, which did not succeed "
                + "(jobs/nightly.yaml:14:3)\n"
        )
    }

    @Test func `a failure that does not matter to the run says so`() {
        var record = Samples.refused
        record.required = false
        #expect(
            lines.finished(record).hasPrefix("failed     refused (not required)  GET https://")
        )
        record.error = nil
        record.outcome = .succeeded
        #expect(lines.finished(record) == "succeeded  refused  0 B in 1.2 s\n")
    }

    @Test func `an upload's size is what was sent`() {
        var record = Samples.full
        record.kind = .upload
        record.countOfBytesSent = 2048
        #expect(lines.finished(record) == "succeeded  artifact  2.0 KiB in 1.2 s\n")
    }

    @Test func `a secret is redacted before its bytes are made printable`() {
        let secret = "Straße\u{1B}2026!"
        let foreign = ForeignText(redactor: Redactor([Secret(secret)]))
        let lines = ProgressLines(usesColor: false, foreign: foreign)
        // As a field's bytes are shown: `ß` is two characters, one of which is a control.
        let characters = String(secret.utf8.map { Character(Unicode.Scalar($0)) })
        var record = Samples.record("id \(secret)", 1, .failed)
        for text in [secret, characters, characters.lowercased(), characters.onOneLine().text] {
            var failure = TransferFailure(kind: .mimeType, phase: .wait, detail: "sent \(text)")
            failure.help = "not \(text)"
            record.error = failure
            let shown = lines.finished(record)
            #expect(shown.hasPrefix("failed     id ‹redacted›: mimeType: sent ‹redacted› ("))
            #expect(shown.hasSuffix("help: not ‹redacted›\n"), "\(shown)")
        }
    }

    @Test func `texts from peers stay in their line`() {
        var failure = TransferFailure(kind: .httpStatus, phase: .wait, detail: "a\r\nb\u{1B}[2J")
        failure.help = String(repeating: "x", count: 2000)
        var record = Samples.record("id\u{7}", 1, .failed)
        record.error = failure
        let text = lines.finished(record)
        #expect(text.count { $0.isNewline } == 2)
        #expect(
            text.hasPrefix(#"failed     id\u{7}: a\r\nb\u{1B}[2J ("#)
        )
        #expect(text.count < 700)
    }

    @Test(arguments: [(Int64(1_234_000), "in 1.2 s"), (0, "at once")])
    func `a retry's line has the failure and the time of the next attempt`(
        wait: Int64,
        words: String
    ) {
        let failure = TransferFailure(kind: .timeout, phase: .wait, detail: "nothing came for 60 s")
        #expect(
            lines.retry(id: "a", attempt: 1, failure: failure, waitMicroseconds: wait)
                == "retrying   a  attempt 1: timeout: nothing came for 60 s; again \(words)\n"
        )
    }

    @Test func `the summary counts, measures and names the report`() {
        var summary = Samples.summary
        summary.countOfBytesSent = 512
        #expect(
            lines.summary(summary, startDate: Samples.start, reportPath: "out/report.json")
                == """
                1 of 3 tasks succeeded, 1 failed, 1 skipped; 4.0 KiB received, 512 B sent in 3.2 s
                report: out/report.json

                """
        )
        #expect(
            lines.summary(RunSummary(endDate: Samples.start), startDate: nil, reportPath: nil)
                == "0 of 0 tasks succeeded; 0 B received\n"
        )
    }

    @Test func `the summary names skipped tasks without lines`() {
        func counts(_ skipped: Int, _ ids: [String]) -> Substring? {
            var summary = RunSummary(endDate: Samples.start)
            (summary.tasks, summary.failed, summary.skipped) = (skipped + 1, 1, skipped)
            return lines.summary(summary, startDate: nil, reportPath: nil, skipped: ids)
                .split(separator: ";").first
        }
        #expect(counts(1, ["b"]) == "0 of 2 tasks succeeded, 1 failed, 1 skipped (b)")
        #expect(
            counts(5, ["b", "c", "d"])
                == "0 of 6 tasks succeeded, 1 failed, 5 skipped (b, c, d and 2 more)"
        )
        #expect(counts(1, []) == "0 of 2 tasks succeeded, 1 failed, 1 skipped")
    }

    @Test func `a task that requested mirrors says why each URL failed`() {
        var record = Samples.refused
        func attempt(_ number: Int, _ url: String, _ reason: String) {
            var attempt = TaskRecord.Attempt(
                number: number,
                startDate: Samples.start,
                endDate: Samples.start,
                outcome: .failed
            )
            attempt.reason = reason
            record.attempts.append(attempt)
            record.transactions.append(
                TransactionMetrics(
                    attempt: number,
                    reason: .mirror,
                    request: .init(method: "GET", url: url, headers: HeaderFields()),
                    fetchStartDate: Samples.start
                )
            )
        }
        (record.attempts, record.transactions) = ([], [])
        attempt(1, "http://a.test/x", "404")
        attempt(2, "http://a.test/x", "503")
        #expect(!lines.finished(record).contains("tried: "))
        for number in 3...8 { attempt(number, "http://\(number).test/x", "connect") }
        #expect(
            lines.finished(record).contains(
                "tried: http://a.test/x: 404; http://3.test/x: connect; http://4.test/x: connect; "
                    + "http://5.test/x: connect; http://6.test/x: connect and 2 more\n"
            )
        )
    }

    @Test(arguments: [ExitCode.interrupted, .terminated])
    func `a run stopped after all tasks have ended reports the reason`(code: ExitCode) {
        var summary = RunSummary(endDate: Samples.start)
        (summary.tasks, summary.succeeded, summary.unchanged) = (2, 1, 1)
        summary.exitCode = code
        let reason =
            "exit code \(code.rawValue): a signal stopped the run, although every task had already ended\n"
        let whole = lines.summary(summary, startDate: nil, reportPath: nil)
        #expect(whole == "2 of 2 tasks succeeded (1 unchanged); 0 B received\n" + reason)
        (summary.unchanged, summary.cancelled) = (0, 1)
        #expect(!lines.summary(summary, startDate: nil, reportPath: nil).contains("exit code"))
    }

    @Test func `only the outcome is coloured`() {
        let colored = ProgressLines(usesColor: true)
        #expect(
            colored.finished(Samples.full)
                == "\u{1B}[32msucceeded\u{1B}[0m  artifact  4.0 KiB in 1.2 s\n"
        )
        #expect(colored.finished(Samples.refused).hasPrefix("\u{1B}[31mfailed   \u{1B}[0m  "))
    }
}
